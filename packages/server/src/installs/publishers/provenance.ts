import { readFile } from 'node:fs/promises';
import { partsOfId } from '@ambit/core/skill';
import { isSignedBy, keyIdOf, readPublicKey } from '../../audit/sign/signed.ts';
import type { Publisher } from '../../config/file/publisher-keys.ts';
import { Refusal } from '../../errors/refusal.ts';
import { publishersOf } from './canonical-source.ts';
import { readSkillSignature, type SkillSignature, statementBytes } from './skill-signature.ts';

/** The signer of a version of a skill, as in the lock file. All are `null` if no configured publisher signed it. */
export interface Provenance {
  publisher: string | null;
  /** The key or the workflow: `ed25519:…` or `sigstore:…`. */
  identity: string | null;
  /** The signature file. */
  signature: string | null;
}

/** A version of a skill, by its id and its digest. */
interface SignedVersion {
  id: string;
  digest: string;
}

/** The provenance of a version that no configured publisher signs. */
export const unsigned: Provenance = { publisher: null, identity: null, signature: null };

/**
 * Verifies the signature of a version from a source: `undefined` if it has none, `null` if it is no short file. A source of
 * a configured publisher needs a valid signature. Elsewhere, a signature must at least be of this version. Throws
 * `SIGNATURE_INVALID`.
 */
export async function provenanceOf(
  publishers: readonly Publisher[],
  source: string,
  version: SignedVersion,
  file: Uint8Array | null | undefined,
): Promise<Provenance> {
  const expected = publishersOf(publishers, source);
  const names = expected.map(({ name }) => name).join(' or ');
  if (file === undefined) {
    if (expected.length === 0) return unsigned;
    throw refused(
      `${version.id} is not signed, and the skills of ${source} must be signed by ${names}`,
      `Ask ${names} for a signed version, or remove the source from "match" of the publisher in the configuration`,
    );
  }
  const remedy = 'Do not use this version: ask its author to sign it again';
  const text = file === null ? '' : Buffer.from(file).toString();
  const signature = readSkillSignature(text);
  if (signature === undefined)
    throw refused(`the signature file of ${version.id} is not a signature that Ambit knows`, remedy);
  const other = isOfOther(signature, version);
  if (other !== undefined) throw refused(`the signature of ${version.id} ${other}`, remedy);
  if (expected.length === 0) return unsigned;
  const reasons: string[] = [];
  for (const publisher of expected) {
    const signer = await signerOf(publisher, signature, version);
    if ('identity' in signer)
      return { publisher: publisher.name, identity: signer.identity, signature: text };
    reasons.push(`for the publisher ${publisher.name}, it ${signer.flaw}`);
  }
  throw refused(`the signature of ${version.id} is refused: ${reasons.join('; ')}`, remedy);
}

/** The signer of a skill that is not installed; `problem` is why it would be left out. */
export interface ReviewedSigner extends Pick<Provenance, 'publisher' | 'identity'> {
  problem: string | null;
}

/** As `provenanceOf`, for a review: a signature that is missing or not valid is a problem of the skill. */
export async function reviewedSigner(...given: Parameters<typeof provenanceOf>): Promise<ReviewedSigner> {
  try {
    const { publisher, identity } = await provenanceOf(...given);
    return { publisher, identity, problem: null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { publisher: null, identity: null, problem: error.message };
  }
}

/**
 * Verifies what a lock file says about the signer of a version. Resolves to what is wrong with it; `undefined`: nothing.
 */
export async function lockedFlaw(
  publishers: readonly Publisher[],
  source: string,
  version: SignedVersion & Provenance,
): Promise<string | undefined> {
  const { id, publisher: name, identity, signature: text } = version;
  const expected = publishersOf(publishers, source).map((each) => each.name);
  if (expected.length > 0 && (name === null || !expected.includes(name)))
    return `${id} is ${name === null ? 'not signed' : `signed by ${name}`}, and the skills of ${source} must be signed by ${expected.join(' or ')}`;
  if (name === null) return undefined;
  const publisher = publishers.find((each) => each.name === name);
  if (publisher === undefined)
    return `the lock file says that ${name} signed ${id}, and no publisher ${name} is configured here`;
  const signature = readSkillSignature(text ?? '');
  if (signature === undefined) return `the lock file has no signature of ${name} for ${id}`;
  const signer = await signerOf(publisher, signature, version);
  if ('flaw' in signer) return `the signature of ${id} in the lock file ${signer.flaw}`;
  if (signer.identity === identity) return undefined;
  return `the lock file says that ${identity} signed ${id}, and its signature is of ${signer.identity}`;
}

/** Whether the lock file's statement about the signer is known to be false, not only unverifiable. */
export function isConfigured(publishers: readonly Publisher[], { publisher }: Provenance): boolean {
  return publishers.some(({ name }) => name === publisher);
}

type Signer = { identity: string } | { flaw: string };

async function signerOf(
  { ed25519, sigstore }: Publisher,
  signature: SkillSignature,
  version: SignedVersion,
): Promise<Signer> {
  if (signature.kind === 'ed25519')
    return ed25519 === undefined
      ? { flaw: 'is of a key, and not of Sigstore' }
      : keySigner(ed25519, signature, version);
  return sigstore === undefined
    ? { flaw: 'is of Sigstore, and not of a key' }
    : sigstoreSigner(sigstore, signature, version);
}

async function keySigner(
  files: readonly string[],
  { signed }: Extract<SkillSignature, { kind: 'ed25519' }>,
  version: SignedVersion,
): Promise<Signer> {
  const other = isOfOther({ kind: 'ed25519', signed }, version);
  if (other !== undefined) return { flaw: other };
  const problems: string[] = [];
  for (const file of files) {
    try {
      const key = readPublicKey(await readFile(file, 'utf8'));
      if (isSignedBy(key, signed)) return { identity: `ed25519:${keyIdOf(key)}` };
    } catch (error) {
      problems.push(`${file} cannot be used: ${(error as Error).message}`);
    }
  }
  return { flaw: ['is not valid for any key of that publisher', ...problems].join('; ') };
}

async function sigstoreSigner(
  { trustedRoot: file, ...signer }: NonNullable<Publisher['sigstore']>,
  { bundle }: Extract<SkillSignature, { kind: 'sigstore' }>,
  { id, digest }: SignedVersion,
): Promise<Signer> {
  const { SignatureError, verifySigstore } = await import('@ambit/installs');
  const { name } = partsOfId(id);
  let trustedRoot: unknown;
  try {
    if (file !== undefined) trustedRoot = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    return { flaw: `cannot be checked: the trusted root ${file} is unusable: ${(error as Error).message}` };
  }
  try {
    const skill = { name, digest, statement: statementBytes(name, digest) };
    const { issuer, repository, workflow } = await verifySigstore(bundle, skill, { signer, trustedRoot });
    return { identity: `sigstore:${repository} by ${workflow}, issued by ${issuer}` };
  } catch (error) {
    if (error instanceof SignatureError) return { flaw: error.message };
    throw error;
  }
}

/** Explains how a signature's statement differs from the version; `undefined`: it does not, or only its verification can tell. */
function isOfOther(signature: SkillSignature, { id, digest }: SignedVersion): string | undefined {
  if (signature.kind === 'sigstore') return undefined;
  const { statement } = signature.signed;
  const { name } = partsOfId(id);
  if (statement.name !== name) return `is for the skill ${JSON.stringify(statement.name.slice(0, 64))}`;
  if (statement.digest !== digest) return `is for the version ${statement.digest}, not for ${digest}`;
  return undefined;
}

function refused(what: string, remedy: string): Refusal {
  return new Refusal('SIGNATURE_INVALID', `${what}. ${remedy}`);
}
