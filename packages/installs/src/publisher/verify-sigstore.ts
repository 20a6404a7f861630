import { matchesPattern } from '@ambit/core/inspect';
import type { Bundle } from '@sigstore/bundle';
import type { Signer } from '@sigstore/verify';

/** Explains why a signature does not count, as the rest of a sentence that begins with the signature. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';
}

/** Whose certificates count. Patterns match the whole text; see `matchesPattern`. */
export interface SigstoreSigner {
  /** Exactly. */
  issuer: string;
  repository: string;
  refs: readonly string[];
  /** Exactly. */
  runner: string;
}

/** The version of a skill that was signed. */
export interface SignedSkill {
  name: string;
  /** `sha256:…` */
  digest: string;
  /** The bytes that a signature of a file covers. */
  statement: Uint8Array;
}

/** The signer, as named in the certificate. */
export interface SigstoreIdentity {
  issuer: string;
  repository: string;
  ref: string;
  runner: string;
  /** The URI of the workflow, without its ref. */
  workflow: string;
}

/**
 * Verifies a Sigstore bundle without a network: its signature, that an authority of the trusted root issued the certificate,
 * that certificate and signature are in transparency logs of it, that the certificate was valid when it signed, and that
 * `signer` names its identity. Throws a `SignatureError`.
 *
 * The bundle signs `statement` as a file, or is the SLSA provenance of an artifact with the skill's name and digest.
 */
export async function verifySigstore(
  bundle: unknown,
  skill: SignedSkill,
  { signer, trustedRoot }: { signer: SigstoreSigner; trustedRoot?: unknown },
): Promise<SigstoreIdentity> {
  // Loaded here, because few installs need them.
  const [{ bundleFromJSON }, { toSignedEntity, toTrustMaterial, Verifier }, { TrustedRoot }] =
    await Promise.all([
      import('@sigstore/bundle'),
      import('@sigstore/verify'),
      import('@sigstore/protobuf-specs'),
    ]);
  const root = trustedRoot ?? (await import('./trusted-root.json', { with: { type: 'json' } })).default;
  const material = attempt('cannot be checked: the trusted root is unusable', () =>
    toTrustMaterial(TrustedRoot.fromJSON(root)),
  );
  const parsed = attempt('is not a valid Sigstore bundle', () => bundleFromJSON(bundle));
  checkCheckpoints(parsed);
  const verified = attempt('is not valid', () =>
    new Verifier(material).verify(toSignedEntity(parsed, Buffer.from(skill.statement))),
  );
  if (parsed.content.$case === 'dsseEnvelope') checkProvenance(parsed.content, skill);
  const identity = identityOf(verified);
  const flaw = mismatch(identity, signer);
  if (flaw !== undefined) throw new SignatureError(flaw);
  return identity;
}

function attempt<Result>(failure: string, use: () => Result): Result {
  try {
    return use();
  } catch (cause) {
    throw new SignatureError(`${failure}: ${(cause as Error).message}`, { cause });
  }
}

/** The library uses these names as regular expressions, which could be made to run for hours. */
function checkCheckpoints({ verificationMaterial: { tlogEntries } }: Bundle): void {
  const names = tlogEntries.flatMap(({ inclusionProof }) =>
    [...(inclusionProof?.checkpoint?.envelope ?? '').matchAll(/\u2014 (\S+)/g)].map(([, name = '']) => name),
  );
  if (!names.every((name) => /^[\w.:/-]+$/.test(name)))
    throw new SignatureError('has a checkpoint whose signer has an unusual name');
}

const provenance = 'https://slsa.dev/provenance/v1';

/** Other statements about a skill may be signed too, such as that it failed a test. */
function checkProvenance(
  { dsseEnvelope }: Extract<Bundle['content'], { $case: 'dsseEnvelope' }>,
  { name, digest }: SignedSkill,
): void {
  const { payloadType, payload } = dsseEnvelope;
  const { predicateType, subject } = attempt('has an unreadable payload', () => {
    return Object(JSON.parse(payload.toString())) as { predicateType?: unknown; subject?: unknown };
  });
  if (payloadType !== 'application/vnd.in-toto+json' || predicateType !== provenance)
    throw new SignatureError(`attests ${String(predicateType).slice(0, 200)}; only ${provenance} counts`);
  const subjects = (Array.isArray(subject) ? subject : []) as {
    name?: unknown;
    digest?: { sha256?: unknown };
  }[];
  if (!subjects.some((each) => each?.name === name && `sha256:${String(each.digest?.sha256)}` === digest))
    throw new SignatureError(`is of other artifacts, not of ${name} with the digest ${digest}`);
}

/** The extensions of Fulcio, 1.3.6.1.4.1.57264.1.N: https://github.com/sigstore/fulcio/blob/main/docs/oid-info.md */
const fulcio = { issuer: 8, runner: 11, repository: 12, ref: 14 };

function identityOf({ identity }: Signer): SigstoreIdentity {
  const text = (number: number): string => {
    const found = identity?.oids?.find(({ oid }) => oid?.id.join('.') === `1.3.6.1.4.1.57264.1.${number}`);
    return found === undefined ? '' : derText(found.value);
  };
  const san = identity?.subjectAlternativeName ?? '';
  return {
    issuer: text(fulcio.issuer),
    repository: text(fulcio.repository),
    ref: text(fulcio.ref),
    runner: text(fulcio.runner),
    workflow: san.replace(/@[^@]*$/, ''),
  };
}

/** A UTF8String in DER, which is shorter than 64 KiB; empty for anything else. */
function derText(bytes: Uint8Array): string {
  const [tag, first = 0, second = 0, third = 0] = bytes;
  const [start, length] =
    first < 0x80
      ? [2, first]
      : first === 0x81
        ? [3, second]
        : first === 0x82
          ? [4, second * 256 + third]
          : [0, -1];
  return tag === 0x0c && bytes.length === start + length ? Buffer.from(bytes).toString('utf8', start) : '';
}

function mismatch(identity: SigstoreIdentity, signer: SigstoreSigner): string | undefined {
  const says = (what: string, found: string, wanted: string): string =>
    `has the ${what} ${JSON.stringify(found.slice(0, 300))} in its certificate, not ${wanted}`;
  const { issuer, repository, ref, runner } = identity;
  if (issuer !== signer.issuer) return says('issuer', issuer, signer.issuer);
  if (!matchesPattern(signer.repository, repository))
    return says('repository', repository, signer.repository);
  if (!signer.refs.some((pattern) => matchesPattern(pattern, ref)))
    return says('ref', ref, signer.refs.join(' or '));
  if (runner !== signer.runner) return says('runner', runner, signer.runner);
  return undefined;
}
