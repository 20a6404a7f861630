// Threat model: T147, T149
// Each test starts a daemon of its own: the claims are about publishers in its configuration.

import { execFileSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import {
  fakeSigstore,
  someIdentity,
} from '../../../packages/installs/src/publisher/testing/fake-sigstore.ts';
import { startDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { installsOf } from '../support/installs.ts';
import { patientLimits } from '../support/waiter.ts';

const files = (program: string, description = 'first') => ({
  'SKILL.md': `---\nname: forms\ndescription: ${description}\n---\n`,
  'scripts/run.py': program,
});

const keys = await temporaryFolder({}, afterAll);
const [first, second] = [join(keys, 'first.key'), join(keys, 'second.key')];
for (const key of [first, second]) expect((await ambit(['skills', 'new-key', key])).code).toBe(0);

/** A folder `acme/forms` with a skill. */
async function published() {
  const root = await temporaryFolder();
  const [source, forms] = [join(root, 'acme'), join(root, 'acme/forms')];
  const signing = async (key: string) => (await ambit(['skills', 'sign', forms, '--key', key])).code;
  const publishers = [
    { name: 'acme', match: [source, `${source}/*.zip`], ed25519: [`${first}.pub`, `${second}.pub`] },
  ];
  return { root, source, forms, signing, config: { publishers } };
}

test('a skill of a publisher is refused until it is signed, and then shows its publisher', async () => {
  const { source, signing, config } = await published();
  await writeSkills(source, { forms: files('print("first")\n') });
  const daemon = await startDaemon(config);
  const { printed } = installsOf(() => daemon);
  const run = (...args: readonly string[]) =>
    ambit(['--config', join(daemon.dataDir, '../ambit.config.yaml'), ...args]);
  const unsigned = await run('skills', 'add', source);
  expect(unsigned).toMatchObject({ code: 3, stdout: expect.stringContaining('SIGNATURE_INVALID') });

  expect(await signing(first)).toBe(0);
  const archive = join(source, 'forms.zip');
  execFileSync('python3', ['-m', 'zipfile', '-c', archive, `${source}/forms`]);
  expect((await run('skills', 'review', archive)).stdout).toMatch(/\n {2}signer {2}Signed by acme, ed25519:/);
  await rm(archive);
  expect((await run('skills', 'add', source)).stdout).toMatch(
    /PUBLISHER[\s\S]*acme:forms +added +runs programs +acme/,
  );
  expect((await run('skills', 'installed')).stdout).toMatch(/acme:forms +unapproved +untrusted +acme/);
  expect((await run('skills', 'review', 'forms')).stdout).toMatch(/Signer\n {2}Signed by acme, ed25519:/);
  const { digest } = (await daemon.request('GET', '/installs/forms')).body;
  const approved = await run('skills', 'approve', `forms@${digest}`);
  expect(approved.stdout).toContain('Signed by acme, ed25519:');
  expect(await printed('acme:forms')).toBe('first\n');
});

test('revoking a publisher ends a running call of its skill, also of a version before the installed one, and refuses the next one', async () => {
  const { source, signing, config } = await published();
  await writeSkills(source, { forms: files('import time\nprint("on", flush=True)\ntime.sleep(600)\n') });
  await signing(first);
  const other = { name: 'other', match: source, ed25519: `${second}.pub` };
  const acme = { ...config.publishers[0], ed25519: `${first}.pub` };
  const daemon = await startDaemon({ publishers: [acme, other] });
  const post = (path: string, body: object) => daemon.request('POST', path, { body });
  expect((await post('/installs', { source })).body.skills).toMatchObject([{ publisher: 'acme' }]);
  const { digest, provenance } = (await daemon.request('GET', '/installs/forms')).body;
  expect(provenance).toMatchObject({ publisher: 'acme', change: null, problem: null });
  await post('/installs/forms/approve', { digest, tier: 'local' });

  const call = daemon.execute('acme:forms', { limits: patientLimits });
  await vi.waitUntil(async () => (await daemon.audit('?outcome=running')).length > 0);
  await writeSkills(source, { forms: files('print("second")\n', 'second') });
  await signing(second);
  await post('/installs/update', {});
  const later = (await daemon.request('GET', '/installs/forms')).body;
  await post('/installs/forms/approve', { digest: later.digest });
  const printed = async () => (await daemon.execute('acme:forms', {})).body.outcome?.output?.stdout;
  expect(await printed()).toBe('second\n');
  const revoked = await post('/installs/revoke', { subject: 'publisher:acme', reason: 'key stolen' });
  expect(revoked.body).toMatchObject({ subject: 'publisher:acme', skills: [] });
  expect((await call).body).toMatchObject({ outcome: { status: 'canceled' } });
  expect(await printed()).toBe('second\n');
  await post('/installs/revoke', { subject: 'publisher:other', reason: null });
  const refused = (await daemon.execute('acme:forms', {})).body;
  expect(refused).toMatchObject({
    code: 'SKILL_REVOKED',
    detail: expect.stringContaining('publisher other'),
  });
});

test('a skill that a workflow has signed with Sigstore is installed without a network, and one of another workflow is not', async () => {
  const { root, source, forms } = await published();
  await writeSkills(source, { forms: files('print("on")\n') });
  const sigstore = await fakeSigstore();
  const cwd = await temporaryFolder();
  const trustedRoot = join(root, 'trusted_root.json');
  await writeFile(trustedRoot, JSON.stringify(sigstore.trustedRoot));
  const { issuer, repository } = someIdentity;
  const identities = { issuer, repository, refs: 'refs/tags/v*', trustedRoot };
  const config = { publishers: [{ name: 'acme', match: source, sigstore: identities }] };
  const named = ['--config', join(cwd, 'ambit.config.yaml')];
  await writeFile(join(cwd, 'ambit.config.yaml'), JSON.stringify(config));
  const { stdout: file } = await ambit(['skills', 'sign', forms, '--print']);
  const add = async (bundle: object) => {
    await writeFile(join(forms, '.ambit-signature.json'), JSON.stringify(bundle));
    return JSON.parse((await ambit(['--json', 'skills', 'add', source, ...named])).stdout);
  };
  const other = await sigstore.bundle({ file }, { identity: { ref: 'refs/heads/main' } });
  expect((await add(other)).refused).toMatchObject([{ code: 'SIGNATURE_INVALID' }]);
  const { skills } = await add(await sigstore.bundle({ file }));
  expect(skills).toMatchObject([{ id: 'acme:forms', publisher: 'acme' }]);
  expect(await readFile(join(cwd, 'ambit.lock'), 'utf8')).toContain(
    `"identity": "sigstore:${repository} by `,
  );
  expect((await ambit(['skills', 'sync', '--frozen', ...named])).code).toBe(0);
});
