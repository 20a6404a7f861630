import {
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  verify,
  X509Certificate,
} from 'node:crypto';
import { noteKeyId, noteText, readNote, readTreeHead, type TreeHead, treeHeadText } from '@ambit/core/merkle';
import { sha256 } from '../log/sha256.ts';

/** Signs with the key of a node (Ed25519, PKCS8 in PEM). */
export interface NodeSigner {
  /** Base64. */
  sign(text: string): string;
  /** The head of a tree as a signed note. The name of the key is the origin. */
  signHead(head: TreeHead): string;
}

export function nodeSigner(privateKey: string): NodeSigner {
  const key = createPrivateKey(privateKey);
  const bytes = keyBytes(createPublicKey(key));
  return {
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64'),
    signHead(head) {
      const text = treeHeadText(head);
      const signature = sign(null, Buffer.from(text), key);
      return noteText({
        text,
        signatures: [{ name: head.origin, keyId: noteKeyId(sha256, head.origin, bytes), signature }],
      });
    },
  };
}

/** The head in a note, if one of the keys has signed it. */
export function signedHead(note: string, keys: readonly KeyObject[]): TreeHead | undefined {
  const read = readNote(note);
  const head = read && readTreeHead(read.text);
  if (read === undefined || head === undefined) return undefined;
  const isSigned = read.signatures.some(({ name, keyId, signature }) =>
    keys.some(
      (key) =>
        name === head.origin &&
        Buffer.from(noteKeyId(sha256, name, keyBytes(key))).equals(keyId) &&
        verify(null, Buffer.from(read.text), key, signature),
    ),
  );
  return isSigned ? head : undefined;
}

/** Whether a key has signed a text; `signature` in base64. */
export function hasSigned(key: KeyObject, text: string, signature: string): boolean {
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'));
}

/** The key of a node's certificate (PEM), if it is of that node, and if the authority, if one is given, has certified it. */
export function certifiedKey(
  pem: string,
  id: number,
  authority: X509Certificate | undefined,
): KeyObject | undefined {
  try {
    const certificate = new X509Certificate(pem);
    const isOfNode = certificate.subject === `CN=node-${id}`;
    const isCertified = authority === undefined || certificate.verify(authority.publicKey);
    return isOfNode && isCertified ? certificate.publicKey : undefined;
  } catch {
    return undefined;
  }
}

/** The 32 bytes of a public key. */
function keyBytes(key: KeyObject): Uint8Array {
  return Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
}
