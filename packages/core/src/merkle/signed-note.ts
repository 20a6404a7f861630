import type { Sha256 } from '../audit/chain.ts';
import type { TreeHash } from './check-proof.ts';

/** A text with signatures: C2SP signed-note. The text ends with a newline. */
export interface SignedNote {
  text: string;
  signatures: readonly NoteSignature[];
}

interface NoteSignature {
  /** The name of the key. */
  name: string;
  /** 4 bytes. */
  keyId: Uint8Array;
  signature: Uint8Array;
}

/** The id of an Ed25519 key of 32 bytes, under a name. */
export function noteKeyId(sha256: Sha256, name: string, publicKey: Uint8Array): Uint8Array {
  return sha256(`${name}\n`, ed25519, publicKey).slice(0, keyIdBytes);
}

const ed25519 = Uint8Array.of(1);
const keyIdBytes = 4;

/** The text of a note with its signatures, as C2SP signed-note writes it. */
export function noteText({ text, signatures }: SignedNote): string {
  const lines = signatures.map(
    ({ name, keyId, signature }) => `— ${name} ${base64(Uint8Array.of(...keyId, ...signature))}\n`,
  );
  return `${text}\n${lines.join('')}`;
}

/** Parses a note; `undefined` if it is not one. Its signatures are not verified. */
export function readNote(note: string): SignedNote | undefined {
  const end = note.lastIndexOf('\n\n');
  if (end === -1 || !note.endsWith('\n')) return undefined;
  const signatures: NoteSignature[] = [];
  for (const line of note.slice(end + 2, -1).split('\n')) {
    const [, name, encoded = ''] = /^— ([^\s+]+) (\S+)$/.exec(line) ?? [];
    const bytes = bytesOf(encoded);
    if (name === undefined || bytes === undefined || bytes.length <= keyIdBytes) return undefined;
    signatures.push({ name, keyId: bytes.slice(0, keyIdBytes), signature: bytes.slice(keyIdBytes) });
  }
  return { text: note.slice(0, end + 1), signatures };
}

/** The head of a tree, and the log that it belongs to. */
export interface TreeHead extends TreeHash {
  origin: string;
}

/** The text of a head, for a note: C2SP tlog-checkpoint. */
export function treeHeadText({ origin, size, root }: TreeHead): string {
  return `${origin}\n${size}\n${base64(root)}\n`;
}

/** Parses the text of a head; `undefined` if it is not one. Extension lines are allowed. */
export function readTreeHead(text: string): TreeHead | undefined {
  const [origin = '', shown = '', encoded = '', ...others] = text.split('\n');
  const root = bytesOf(encoded);
  if (origin === '' || others.length === 0 || root?.length !== 32 || !/^(0|[1-9]\d{0,15})$/.test(shown))
    return undefined;
  return { origin, size: Number(shown), root };
}

/** Standard base64 with padding. */
export function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** `undefined` unless it is the base64 of some bytes, as `base64` writes it. */
export function bytesOf(encoded: string): Uint8Array | undefined {
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return base64(bytes) === encoded ? bytes : undefined;
  } catch {
    return undefined;
  }
}
