// Threat model: T147, T148

import { expect, test } from 'vitest';
import { type BundleOptions, fakeSigstore, someIdentity } from './testing/fake-sigstore.ts';
import { type SigstoreSigner, verifySigstore } from './verify-sigstore.ts';

const sigstore = fakeSigstore();
const file = '{"name":"forms"}';
const digest = `sha256:${'ab'.repeat(32)}`;
const skill = { name: 'forms', digest, statement: Buffer.from(file) };
const signer: SigstoreSigner = {
  issuer: someIdentity.issuer,
  repository: 'https://github.com/acme/*',
  refs: ['refs/tags/v*'],
  runner: 'github-hosted',
};
const provenance = {
  _type: 'https://in-toto.io/Statement/v1',
  predicateType: 'https://slsa.dev/provenance/v1',
  subject: [{ name: 'forms', digest: { sha256: 'ab'.repeat(32) } }],
  predicate: {},
};
const old = new Date('2024-01-01T00:00:00Z');
const hourLater = new Date('2024-01-01T01:00:00Z');

/** Explains why a bundle is refused; `valid` if it is not. */
async function verdict(
  bundle: unknown,
  { as = signer, of = skill }: { as?: SigstoreSigner; of?: typeof skill } = {},
): Promise<string> {
  const { trustedRoot } = await sigstore;
  return verifySigstore(bundle, of, { signer: as, trustedRoot }).then(
    () => 'valid',
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

async function bundleWith(options: BundleOptions): Promise<Record<string, unknown>> {
  return (await sigstore).bundle({ file }, options);
}

test('accepts a signature by a certified workflow, and says whose it is', async () => {
  const { trustedRoot } = await sigstore;
  expect(await verifySigstore(await bundleWith({}), skill, { signer, trustedRoot })).toEqual(someIdentity);
});

test('accepts the provenance of an artifact with the name and digest of the skill, and no other statement', async () => {
  const { bundle } = await sigstore;
  expect(await verdict(await bundle({ statement: provenance }))).toBe('valid');
  const other = { ...skill, name: 'other' };
  expect(await verdict(await bundle({ statement: provenance }), { of: other })).toContain(
    'of other artifacts',
  );
  const failed = { ...provenance, predicateType: 'https://in-toto.io/attestation/test-result/v0.1' };
  expect(await verdict(await bundle({ statement: failed }))).toContain(
    'only https://slsa.dev/provenance/v1 counts',
  );
});

test.each<[string, BundleOptions, string]>([
  ['another issuer', { identity: { issuer: 'https://accounts.example' } }, 'issuer'],
  [
    'an issuer that the configured one is only a part of',
    { identity: { issuer: `${someIdentity.issuer}.evil.example` } },
    'issuer',
  ],
  [
    'a repository that the pattern is only a part of',
    { identity: { repository: 'https://evil.example/https://github.com/acme/skills' } },
    'repository',
  ],
  ['another owner', { identity: { repository: 'https://github.com/acme2/skills' } }, 'repository'],
  ['another ref', { identity: { ref: 'refs/heads/main' } }, 'ref'],
  ['a ref that the pattern is only the end of', { identity: { ref: 'refs/heads/refs/tags/v1' } }, 'ref'],
  ['another runner', { identity: { runner: 'self-hosted' } }, 'runner'],
])('refuses a certificate with %s', async (_, options, what) => {
  expect(await verdict(await bundleWith(options))).toContain(`has the ${what} "`);
});

test('accepts a certificate that has expired if a log saw the signature before, and refuses it otherwise', async () => {
  expect(await verdict(await bundleWith({ at: old }))).toBe('valid');
  expect(await verdict(await bundleWith({ at: hourLater, certifiedAt: old }))).toContain('certificate');
  expect(await verdict(await bundleWith({ at: old, withoutTime: true }))).toContain('timestamps, got 0');
});

test('refuses a certificate that no certificate log has seen', async () => {
  expect(await verdict(await bundleWith({ withoutSct: true }))).toContain('SCTs, got 0');
});

test('refuses a bundle with other content, and a bundle of an unknown authority', async () => {
  const bundle = await bundleWith({});
  const changed = { ...skill, statement: Buffer.from(`${file} `) };
  expect(await verdict(bundle, { of: changed })).toContain('signature verification failed');
  const elsewhere = await (await fakeSigstore()).bundle({ file });
  expect(await verdict(elsewhere)).toContain('certificate');
});

test('refuses a checkpoint whose name is an expression that would run for hours', async () => {
  const bundle = await bundleWith({ checkpointName: '(((.*)*)*)*!' });
  expect(await verdict(bundle)).toContain('unusual name');
});

test.each([
  ['is no object', 'text'],
  ['is empty', {}],
  ['has only its type', { mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json' }],
])('refuses a bundle that %s', async (_, bundle) => {
  expect(await verdict(bundle)).toMatch(/^SignatureError: is not a valid Sigstore bundle/);
});

test('refuses every bundle without one of its parts', async () => {
  const whole = await bundleWith({});
  const material = whole['verificationMaterial'] as Record<string, unknown>;
  const [entry] = material['tlogEntries'] as Record<string, unknown>[];
  const cut = [
    ...Object.keys(whole).map((key) => ({ ...whole, [key]: undefined })),
    { ...whole, verificationMaterial: { ...material, certificate: undefined } },
    { ...whole, verificationMaterial: { ...material, tlogEntries: [] } },
    ...Object.keys(entry ?? {}).map((key) => ({
      ...whole,
      verificationMaterial: { ...material, tlogEntries: [{ ...entry, [key]: undefined }] },
    })),
  ];
  const verdicts = await Promise.all(cut.map((bundle) => verdict(bundle)));
  expect(verdicts.filter((each) => !each.startsWith('SignatureError: '))).toEqual([]);
});

test('the trusted root of Ambit is usable, and does not certify others', async () => {
  const bundle = await bundleWith({});
  const refused = await verifySigstore(bundle, skill, { signer }).catch((error: Error) => error.message);
  expect(refused).toContain('Failed to verify certificate chain');
});

test('an unusable trusted root refuses every bundle', async () => {
  const bundle = await bundleWith({});
  const refused = await verifySigstore(bundle, skill, { signer, trustedRoot: {} }).catch(String);
  expect(refused).toContain('SignatureError');
});
