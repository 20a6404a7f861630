import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { localServer } from '../../../../test/support/local-server.ts';
import type { Requester } from './installs.ts';
import { project, refusal, skillMd, waitingProject } from './testing/installer-project.ts';

describe('a change that fails half way', () => {
  test.each(['skill.installed', 'apply'])(
    'adding, at %s: is old or new, and can be repeated',
    async (step) => {
      const { add, failAt, inForce } = await project();
      failAt(step);
      expect(await refusal(add())).toBe(`failed at ${step}`);
      const between = await inForce();
      if (step === 'skill.installed') expect(between).toEqual({});
      failAt(undefined);
      await add();
      expect(await inForce()).toEqual({ 'acme:docx': expect.stringMatching(/^untrusted /) });
    },
  );

  test.each(['skill.approved', 'approve', 'disapprove', 'apply'])(
    'approving a waiting version, at %s: the old or the new one is in force, and it can be repeated',
    async (step) => {
      const { approve, failAt, inForce, first, second } = await waitingProject();
      failAt(step);
      expect(await refusal(approve())).toBe(`failed at ${step}`);
      expect([`verified ${first}`, `verified ${second}`]).toContain((await inForce())['acme:docx']);
      failAt(undefined);
      await approve();
      expect(await inForce()).toEqual({ 'acme:docx': `verified ${second}` });
    },
  );

  test('revoking without a log revokes nothing, and removing without one removes nothing', async () => {
    const { add, approve, failAt, installs, requester, inForce } = await project();
    await add();
    await approve();
    const before = await inForce();
    failAt('skill.revoked');
    expect(await refusal(installs.revoke('docx', null, requester))).toBe('failed at skill.revoked');
    failAt('skill.removed');
    expect(await refusal(installs.remove(['docx'], requester))).toBe('failed at skill.removed');
    expect(await inForce()).toEqual(before);
  });

  test('a lock file that cannot be written fails the command, and approves nothing of a new version', async () => {
    const { approve, config, inForce, first, second } = await waitingProject();
    // A folder in place of the draft: root could write into a folder without that right.
    await mkdir(`${config.lockFile}.new`);
    expect(await refusal(approve())).toBe('LOCK_INVALID');
    expect((await inForce())['acme:docx']).toBe(`verified ${first}`);
    await rm(`${config.lockFile}.new`, { recursive: true });
    await approve();
    expect((await inForce())['acme:docx']).toBe(`verified ${second}`);
  });
});

test('an interrupted command changes nothing and leaves no files', async () => {
  const { installs, source, events, config } = await project();
  const interrupt = new AbortController();
  const requester: Requester = {
    actor: 'ada',
    signal: interrupt.signal,
    onProgress: (text) => text.startsWith('Reading') && interrupt.abort(new Error('interrupted')),
  };
  expect(await refusal(installs.add({ source, allowsPaths: true }, requester))).toBe('interrupted');
  expect([events, await readdir(join(config.dataDir, 'installs'))]).toEqual([[], []]);
});

test('two changes at the same time follow one another, and keep each other’s skills', async () => {
  const { add, installs, requester, folder, inForce } = await project();
  const other = join(folder, 'other');
  await mkdir(join(other, 'pdf'), { recursive: true });
  await writeFile(join(other, 'pdf/SKILL.md'), skillMd('pdf'));
  await Promise.all([add(), installs.add({ source: other, allowsPaths: true }, requester), add()]);
  expect(Object.keys(await inForce())).toEqual(['acme:docx', 'other:pdf']);
});

describe('decisions do not wait for a source', () => {
  /** A server that answers nothing. */
  async function silentServer() {
    const asked = Promise.withResolvers<void>();
    const { origin } = await localServer(() => asked.resolve());
    return { base: origin, asked: asked.promise };
  }

  test('while one is read, skills are approved, revoked and removed, and an interrupt ends the reading', async () => {
    const { base, asked } = await silentServer();
    const { add, approve, installs, requester, inForce } = await project({ network: [base] });
    await add();
    const interrupt = new AbortController();
    const request = { source: `${base}/a.zip`, allowsPaths: false };
    const adding = refusal(installs.add(request, { ...requester, signal: interrupt.signal }));
    await asked;
    const { digest } = await approve();
    expect(await inForce()).toEqual({ 'acme:docx': `verified ${digest}` });
    await installs.revoke('docx', null, requester);
    expect(await inForce()).toEqual({ 'acme:docx': 'SKILL_REVOKED' });
    await installs.remove(['docx'], requester);
    expect(await inForce()).toEqual({});
    interrupt.abort(new Error('interrupted'));
    expect(await adding).toBe('interrupted');
  });

  test('what was removed while its source was read is not added again', async () => {
    const { add, write, installs, requester, inForce, events } = await project();
    await add();
    await write({ 'docx/SKILL.md': skillMd('docx', 'second') });
    let removing: Promise<unknown> | undefined;
    const onProgress = (text: string): void => {
      if (text.startsWith('Reading')) removing = installs.remove(['docx'], requester);
    };
    const { skills } = await installs.update([], { ...requester, onProgress });
    await removing;
    expect([skills, await inForce()]).toEqual([[], {}]);
    expect(events.map(({ kind }) => kind)).toEqual(['skill.installed', 'skill.removed']);
  });

  test('a change whose requester has gone is not begun', async () => {
    const { add, installs, lock, events, requester: someone } = await project();
    await add();
    const before = [await lock(), events.length];
    const requester: Requester = { ...someone, signal: AbortSignal.abort(new Error('gone')) };
    const changes = [
      installs.approve({ id: 'docx', tier: 'verified' }, requester),
      installs.revoke('docx', null, requester),
      installs.restore('docx', requester),
      installs.remove(['docx'], requester),
    ];
    for (const change of changes) expect(await refusal(change)).toBe('gone');
    expect([await lock(), events.length]).toEqual(before);
  });
});
