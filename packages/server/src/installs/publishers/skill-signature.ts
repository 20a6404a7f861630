import { canonicalJson } from '@ambit/core/json';
import { z } from 'zod';
import { signedStatement } from '../../audit/sign/signed-statement.ts';

/** The statement of a publisher about a version of a skill. Its digest covers every file, and with them the version number. */
export const SkillStatement = z.strictObject({
  type: z.literal('ambit/skill/1'),
  name: z.string(),
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
});
export type SkillStatement = z.output<typeof SkillStatement>;

/** The statement about a version of a skill. */
export function skillStatement(name: string, digest: string): SkillStatement {
  return { type: 'ambit/skill/1', name, digest };
}

/** The bytes that a signature of the statement covers. */
export function statementBytes(name: string, digest: string): Uint8Array {
  return Buffer.from(canonicalJson(skillStatement(name, digest)));
}

const Ed25519Signature = signedStatement(SkillStatement);

/** A signature file: Ambit's own format, or a Sigstore bundle. */
export type SkillSignature =
  | { kind: 'ed25519'; signed: z.output<typeof Ed25519Signature> }
  | { kind: 'sigstore'; bundle: object };

/** Reads a signature file; `undefined` if it is none. */
export function readSkillSignature(text: string): SkillSignature | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const signed = Ed25519Signature.safeParse(value);
  if (signed.success) return { kind: 'ed25519', signed: signed.data };
  const { mediaType } = Object(value) as { mediaType?: unknown };
  return typeof mediaType === 'string' && mediaType.startsWith('application/vnd.dev.sigstore.bundle')
    ? { kind: 'sigstore', bundle: Object(value) as object }
    : undefined;
}
