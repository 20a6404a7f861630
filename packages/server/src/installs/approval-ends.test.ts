// Threat model: T143

import { expect, test } from 'vitest';
import { plain, project, sidecar, skillMd } from './testing/installer-project.ts';

test('an approval ends at its time, once in the log, and a new approval holds again', async () => {
  const it = await project();
  await it.add();
  const { digest } = await it.installs.review('docx');
  const until = new Date(Date.now() + 24 * 3_600_000).toISOString();
  const approval = await it.installs.approve({ id: 'docx', until }, it.requester);
  expect(approval).toMatchObject({ tier: 'verified', until });
  expect(it.events.at(-1)).toMatchObject({ kind: 'skill.approved', until: Date.parse(until) });
  expect(await it.installs.list()).toMatchObject([{ state: 'approved', tier: 'verified', until }]);
  await it.installs.recordExpired();

  it.wait(25);
  expect(await it.inForce()).toEqual({ 'acme:docx': `untrusted ${digest}` });
  expect(await it.installs.list()).toMatchObject([{ state: 'expired', tier: 'untrusted', until }]);
  it.failAt('skill.expired');
  await expect(it.installs.recordExpired()).rejects.toThrow('failed at skill.expired');
  it.failAt(undefined);
  await Promise.all([it.installs.recordExpired(), it.installs.recordExpired()]);
  expect(it.events.filter(({ kind }) => kind === 'skill.expired')).toMatchObject([
    { skill: { id: 'acme:docx', digest }, until: Date.parse(until), approved: approval.sequence },
  ]);

  await it.approve();
  expect(await it.inForce()).toEqual({ 'acme:docx': `verified ${digest}` });
  expect(await it.installs.list()).toMatchObject([{ state: 'approved', until: null }]);
});

test('a version that takes over an approval by installs.updates: auto ends with it', async () => {
  const it = await project({ updates: 'auto' });
  await it.write({ 'docx/ambit.yaml': sidecar(plain) });
  await it.add();
  const until = new Date(Date.now() + 48 * 3_600_000).toISOString();
  await it.installs.approve({ id: 'docx', until }, it.requester);
  await it.write({ 'docx/SKILL.md': skillMd('docx', 'later'), 'docx/ambit.yaml': sidecar(plain, '1.0.1') });
  await it.update();
  it.wait(24.1);
  expect(await it.update()).toMatchObject({ skills: [{ change: 'approved' }] });
  expect(await it.installs.list()).toMatchObject([{ state: 'approved', until }]);
  expect(it.events.at(-1)).toMatchObject({ kind: 'skill.approved', until: Date.parse(until) });
});
