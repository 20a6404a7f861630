import { hash, type KeyObject } from 'node:crypto';
import { canonicalJson, describeIssues } from '@ambit/core/internal';
import { z } from 'zod';
import { isSignedBy } from '../../audit/sign/signed.ts';
import { signedStatement } from '../../audit/sign/signed-statement.ts';

/** A larger list is not read. */
export const denyListBytesMax = 4 * 1024 * 1024;

const Subject = z
  .string()
  .max(100)
  .refine(
    (text) => /^sha256:[0-9a-f]{64}$/.test(text) || /^publisher:[a-z0-9-]{1,64}$/.test(text),
    'write sha256: and 64 hexadecimal digits, or publisher:NAME',
  );

const Entry = z.strictObject({ subject: Subject, reason: z.string().max(1000).nullable().default(null) });

/** What the author of a deny list writes. */
export const DenyList = z.strictObject({
  /** Grows with each change. */
  serial: z.int().min(1),
  deny: z.array(Entry).max(10_000),
});
export type DenyList = z.output<typeof DenyList>;

const DenyListStatement = DenyList.extend({ type: z.literal('ambit/deny-list/1') });
const SignedDenyList = signedStatement(DenyListStatement);

/** What a key signs. */
export function denyListStatement(list: DenyList): z.output<typeof DenyListStatement> {
  return { type: 'ambit/deny-list/1', ...list };
}

/** A list that its key has signed. */
export interface VerifiedDenyList extends DenyList {
  /** Of the statement, hex. */
  sha256: string;
}

/** A deny list that cannot be used. The message is the rest of a sentence that begins with the list. */
export class DenyListError extends Error {
  override readonly name = 'DenyListError';
  /** Whether a list was read and refused. Otherwise there was none to read. */
  readonly isRefused: boolean;

  constructor(message: string, options: ErrorOptions & { isRefused?: boolean } = {}) {
    super(message, options);
    this.isRefused = options.isRefused ?? true;
  }
}

/** Reads and verifies a fetched list. Throws a `DenyListError`. */
export function readDenyList(bytes: Uint8Array, key: KeyObject): VerifiedDenyList {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString());
  } catch (cause) {
    throw new DenyListError('is not valid JSON: it may be cut short', { cause });
  }
  const parsed = SignedDenyList.safeParse(value);
  if (!parsed.success)
    throw new DenyListError(
      `is not a signed deny list: ${describeIssues(parsed.error, SignedDenyList, value).slice(0, 3).join('; ')}`,
    );
  if (!isSignedBy(key, parsed.data))
    throw new DenyListError('has a signature that is not valid for the configured key');
  const { serial, deny } = parsed.data.statement;
  return { serial, deny, sha256: hash('sha256', canonicalJson(parsed.data.statement)) };
}
