import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { project, refusal, script, skillMd } from './testing/installer-project.ts';

describe('several skills', () => {
  test('are approved in one change, each with an event, and duplicates count once', async () => {
    const { add, installs, requester, write, inForce, events, lock } = await project();
    await write({ 'notes/SKILL.md': skillMd('notes'), 'rest/SKILL.md': skillMd('rest') });
    await add();
    events.length = 0;
    const skills = ['docx', 'acme:notes', 'acme:docx'].map((id) => ({ id }));
    const approvals = await installs.approveAll({ skills, tier: 'local' }, requester);
    expect(approvals.map(({ id, tier, sequence, call }) => [id, tier, sequence, call])).toEqual([
      ['acme:docx', 'local', 1, { script: null, protocol: 'command' }],
      ['acme:notes', 'local', 2, null],
    ]);
    expect(events.map((event) => [event.kind, 'skill' in event && event.skill?.id])).toEqual([
      ['skill.approved', 'acme:docx'],
      ['skill.approved', 'acme:notes'],
    ]);
    expect(Object.values(await inForce()).map((state) => state.split(' ')[0])).toEqual([
      ...['local', 'local', 'untrusted'],
    ]);
    expect((await lock()).skills['acme:notes'].approval).toMatchObject({ tier: 'local', by: 'ada' });
  });

  test('are not approved if one cannot be, and the refusal names each that cannot', async () => {
    const { add, installs, requester, write, inForce, events } = await project();
    await write({ 'notes/SKILL.md': skillMd('notes') });
    await add();
    const before = await inForce();
    events.length = 0;
    await installs.revoke('notes', 'it lies', requester);
    const skills = [{ id: 'docx' }, { id: 'gone' }, { id: 'notes' }];
    const refused = await installs.approveAll({ skills }, requester).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'INSTALL_NOT_FOUND',
      message: expect.stringMatching(
        /^none of the 3 skills was approved, because 2 cannot be: no installed skill has the id "gone"; .*; acme:notes cannot be approved: this version was revoked/,
      ),
    });
    expect(events.map(({ kind }) => kind)).toEqual(['skill.revoked', 'install.refused']);
    expect(await inForce()).toEqual({ ...before, 'acme:notes': 'SKILL_REVOKED' });
    expect(await installs.approveAll({ skills: [{ id: 'docx' }] }, requester)).toHaveLength(1);
  });

  test.each(['approve', 'skill.approved'])('stay unapproved if the change fails at %s', async (step) => {
    const { add, installs, requester, write, inForce, failAt, lock } = await project();
    await write({ 'notes/SKILL.md': skillMd('notes') });
    await add();
    const before = [await inForce(), await lock()];
    failAt(step);
    const skills = [{ id: 'docx' }, { id: 'notes' }];
    expect(await refusal(installs.approveAll({ skills }, requester))).toBe(`failed at ${step}`);
    expect([await inForce(), await lock()]).toEqual(before);
    failAt(undefined);
    await installs.approveAll({ skills }, requester);
    expect(Object.values(await inForce()).every((state) => state.startsWith('verified'))).toBe(true);
  });
});

test.each([
  ['a script', { 'docx/scripts/a.py': script, 'docx/scripts/b.py': script }, 'scripts/a.py', 'command'],
  ['a file of its choice', { 'docx/scripts/a.py': script, 'docx/scripts/run.py': script }, null, 'command'],
  [
    'a run of the sidecar',
    { 'docx/ambit.yaml': JSON.stringify({ run: { runtime: 'process', entry: 'scripts/run.py' } }) },
    ...([null, 'json'] as const),
  ],
])('an approval names %s as the first call', async (_, files, name, protocol) => {
  const { add, approve, write, source } = await project();
  if (name !== null) await rm(join(source, 'docx/scripts/run.py'));
  await write(files as Record<string, string>);
  await add();
  expect((await approve()).call).toEqual({ script: name, protocol });
});
