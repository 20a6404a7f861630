import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { nodeAddress } from '../../config/file/node-address.ts';
import { Refusal } from '../../errors/refusal.ts';

/** The data that a new node needs to join, once. */
export interface Invitation {
  /** HOST:PORT of a node that can certify it. */
  address: string;
  /** SHA-256 of the authority's certificate, hex. */
  authority: string;
  /** 32 random bytes, hex. */
  secret: string;
}

const Parts = z.strictObject({
  address: z.string().refine((text) => nodeAddress(text) !== undefined),
  authority: z.string().regex(/^[0-9a-f]{64}$/),
  secret: z.string().regex(/^[0-9a-f]{64}$/),
});

const prefix = 'ambit-join-';

/** An invitation of the node at `address` of a cluster. */
export function newInvitation(address: string, authority: string): Invitation {
  return { address, authority: fingerprintOf(authority), secret: randomBytes(32).toString('hex') };
}

/** An invitation as one word. */
export function invitationText({ address, authority, secret }: Invitation): string {
  return prefix + Buffer.from(JSON.stringify({ address, authority, secret })).toString('base64url');
}

/** Reads what `invitationText` wrote. Throws `INVITATION_INVALID`. */
export function readInvitation(text: string): Invitation {
  try {
    if (!text.startsWith(prefix)) throw new Error('it does not begin with the name of its format');
    return Parts.parse(JSON.parse(Buffer.from(text.slice(prefix.length), 'base64url').toString()));
  } catch (cause) {
    throw new Refusal(
      'INVITATION_INVALID',
      `this is not an invitation; copy the whole word that "ambit cluster invite" printed, which begins with ${prefix}`,
      { cause },
    );
  }
}

/** Returns the digest by which the database knows a secret. */
export function secretDigest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** SHA-256 of a certificate in PEM, hex. */
export function fingerprintOf(certificate: string): string {
  return createHash('sha256').update(new X509Certificate(certificate).raw).digest('hex');
}
