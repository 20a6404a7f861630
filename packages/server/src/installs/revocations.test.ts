// Threat model: T158

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { plainConfig } from '../testing/plain-config.ts';
import { installedRoots } from './installed-roots.ts';
import { onlyDigest, project, refusal, waitingProject } from './testing/installer-project.ts';

describe('a revocation', () => {
  test('refuses a version, also when it is installed again or under another id, until it is taken back', async () => {
    const { add, approve, installs, requester, inForce } = await project();
    const digest = onlyDigest(await add());
    await approve();
    expect(await installs.revoke('docx', 'it lies', requester)).toMatchObject({
      subject: digest,
      skills: ['acme:docx'],
      reason: 'it lies',
      by: 'ada',
    });
    expect(await inForce()).toEqual({ 'acme:docx': 'SKILL_REVOKED' });
    expect(await refusal(approve())).toBe('SKILL_REVOKED');
    await installs.remove(['docx'], requester);
    await add('other');
    expect(await inForce()).toEqual({ 'other:docx': 'SKILL_REVOKED' });
    await installs.restore(digest, requester);
    expect(await inForce()).toEqual({ 'other:docx': `untrusted ${digest}` });
  });

  test('of a skill with a waiting version refuses both, and taking it back restores both', async () => {
    const { installs, requester, inForce, first } = await waitingProject();
    await installs.revoke('docx', null, requester);
    expect(await inForce()).toEqual({ 'acme:docx': 'SKILL_REVOKED' });
    await installs.restore('docx', requester);
    expect(await inForce()).toEqual({ 'acme:docx': `verified ${first}` });
    expect(await refusal(installs.restore('docx', requester))).toBe('INSTALL_NOT_FOUND');
  });

  test('of a digest that is not installed is possible, and of an unknown skill is refused', async () => {
    const { installs, requester } = await project();
    const digest = `sha256:${'a'.repeat(64)}`;
    expect(await installs.revoke(digest, null, requester)).toMatchObject({ subject: digest, skills: [] });
    expect(await refusal(installs.revoke('docx', null, requester))).toBe('INSTALL_NOT_FOUND');
    expect(await refusal(installs.restore('docx', requester))).toBe('INSTALL_NOT_FOUND');
  });
});

test('while the decisions are unknown, no installed skill can be used', () => {
  const config = {
    ...plainConfig,
    installed: { 'a:b': { digest: 'd', publisher: null, isWaiting: false, dependencies: null } },
  };
  expect(installedRoots(config, new Error('the database is gone'))).toMatchObject([
    { tier: 'untrusted', installed: { refused: { code: 'STORE_UNAVAILABLE' } } },
  ]);
});

test('removing a skill removes its files and its approval', async () => {
  const { add, approve, installs, requester, config, lock, inForce } = await project();
  await add();
  await approve();
  expect(await refusal(installs.remove(['docx', 'xlsx'], requester))).toBe('INSTALL_NOT_FOUND');
  expect((await installs.remove(['docx'], requester)).skills).toMatchObject([{ change: 'removed' }]);
  expect((await lock()).skills).toEqual({});
  expect(await readdir(join(config.dataDir, 'installs/acme'))).toEqual([]);
  await add();
  expect(await inForce()).toMatchObject({ 'acme:docx': expect.stringMatching(/^untrusted /) });
});
