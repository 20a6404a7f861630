import type { SignedReceipt } from '@ambit/client';
import { canonicalJson } from '@ambit/core/json';
import { client } from '../../session/session.ts';

export interface ReceiptVerdict {
  isValid: boolean;
  sentence: string;
}

/**
 * Verifies the signature of a receipt: Ed25519 over the canonical JSON (RFC 8785) of its statement. `ownKey` is a
 * public key in PEM; empty: the keys that the daemon names, which proves only that its answers agree.
 */
export async function verifyReceipt(receipt: SignedReceipt, ownKey: string): Promise<ReceiptVerdict> {
  // Browsers offer it only over TLS and on this machine.
  if (crypto.subtle === undefined)
    return {
      isValid: false,
      sentence:
        'not verified: this browser verifies only over HTTPS or on localhost. Use ambit audit verify-receipt',
    };
  const { statement, keyId, signature } = receipt;
  const key = ownKey.trim() === '' ? await keyOfDaemon(keyId) : derOf(ownKey);
  if (key === undefined)
    return { isValid: false, sentence: 'not verified: the daemon does not know the key that signed it' };
  const id = hex(await crypto.subtle.digest('SHA-256', key));
  if (id !== keyId) return { isValid: false, sentence: 'not verified: another key has signed it' };
  const publicKey = await crypto.subtle.importKey('spki', key, 'Ed25519', false, ['verify']);
  const text = new TextEncoder().encode(canonicalJson(statement));
  const isValid = await crypto.subtle.verify('Ed25519', publicKey, bytesOf(signature), text);
  if (!isValid) return { isValid, sentence: 'the signature does not match: the receipt was changed' };
  return {
    isValid,
    sentence:
      ownKey.trim() === ''
        ? `the signature is valid, by the daemon's key ${keyId.slice(0, 12)}…`
        : 'the signature is valid, by your key',
  };
}

async function keyOfDaemon(keyId: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { keys } = await client.audit.chain();
  const key = keys.find((each) => each.keyId === keyId);
  return key === undefined ? undefined : derOf(key.publicKey);
}

function derOf(pem: string): Uint8Array<ArrayBuffer> {
  return bytesOf(pem.replace(/-----[A-Z ]+-----/g, '').replace(/\s+/g, ''));
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function hex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
