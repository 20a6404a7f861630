// Threat model: T142

import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readDecisions } from './decisions.ts';
import { onlyDigest, project, refusal, skillMd } from './testing/installer-project.ts';

describe('a lock file that was edited', () => {
  test('does not pass the approval of one skill to another, or to another publisher', async () => {
    const { add, approve, write, config, inForce } = await project();
    await write({ 'evil/SKILL.md': skillMd('evil'), 'evil/scripts/run.py': 'print("evil")\n' });
    await add();
    await approve();
    const before = await inForce();
    const text = await readFile(config.lockFile, 'utf8');
    const digestOf = (id: string) => String(before[id]).split(' ')[1] ?? '';
    await writeFile(config.lockFile, text.replaceAll(digestOf('acme:evil'), digestOf('acme:docx')));
    expect((await inForce())['acme:evil']).toBe(`untrusted ${digestOf('acme:docx')}`);
    await writeFile(config.lockFile, text.replaceAll('"publisher": null', '"publisher": "acme"'));
    expect((await inForce())['acme:docx']).toBe(`untrusted ${digestOf('acme:docx')}`);
  });

  test('does not pass an approval on to versions of another source, which only the operator can approve', async () => {
    const it = await project({ updates: 'auto' });
    const digest = onlyDigest(await it.add());
    await it.approve();
    const evil = join(it.folder, 'evil/docx');
    await mkdir(join(evil, 'scripts'), { recursive: true });
    await writeFile(join(evil, 'SKILL.md'), skillMd('docx'));
    await writeFile(join(evil, 'scripts/run.py'), 'print("evil")\n');
    const text = await readFile(it.config.lockFile, 'utf8');
    await writeFile(it.config.lockFile, text.replace('"source": "./acme', '"source": "./evil'));
    await it.update();
    it.wait(24 * 365);
    expect((await it.update()).skills).toMatchObject([{ change: 'waiting' }]);
    expect(await it.inForce()).toEqual({ 'acme:docx': `verified ${digest}` });

    await it.approve();
    await writeFile(join(evil, 'notes.md'), 'x');
    expect((await it.update()).skills).toMatchObject([{ change: 'approved' }]);
  });

  test('cannot bring other packages into an approval that names only the digest of the files', async () => {
    const it = await project();
    const digest = onlyDigest(await it.add());
    const text = await readFile(it.config.lockFile, 'utf8');
    const packages = JSON.stringify({ added: [], python: '3.11', packages: [], content: digest });
    await writeFile(it.config.lockFile, text.replace('"digest":', `"dependencies": ${packages}, "digest":`));
    const approve = (more: object) => it.installs.approve({ id: 'docx', digest, ...more }, it.requester);
    expect(await refusal(approve({}))).toBe('REVIEW_STALE');
    const { review, skill } = await it.installs.review('docx');
    expect(await approve({ review })).toMatchObject({ digest, dependencies: skill.dependencies });
  });

  test.each([
    ['an id without a namespace', (text: string) => text.replace('acme:docx', 'docx')],
    ['an id that is a path', (text: string) => text.replace('acme:docx', 'acme:../x')],
    [
      'a digest that is a path',
      (text: string) => text.replace(/"digest": \S+/, '"digest": "sha256:../../x",'),
    ],
    ['an alias', (text: string) => text.replace('"version"', '"more": &a [1], "most": *a, "version"')],
    ['a key twice', (text: string) => text.replace('"version": 1', '"version": 1, "version": 1')],
    ['no YAML', () => '{'],
    ['no mapping', () => '- 1\n'],
  ])('is refused and unchanged if it has %s', async (_, edit) => {
    const { add, approve, config, installs } = await project();
    await add();
    const edited = edit(await readFile(config.lockFile, 'utf8'));
    await writeFile(config.lockFile, edited);
    expect(await refusal(approve())).toBe('LOCK_INVALID');
    expect(await refusal(installs.list())).toBe('LOCK_INVALID');
    expect(await readFile(config.lockFile, 'utf8')).toBe(edited);
  });

  test('keeps fields that Ambit does not know', async () => {
    const { add, approve, config, lock } = await project();
    await add();
    const text = await readFile(config.lockFile, 'utf8');
    const edited = text
      .replace('"digest":', 'note: mine, "digest":')
      .replace('"version":', 'later: 1, "version":');
    await writeFile(config.lockFile, edited);
    await approve();
    expect(await lock()).toMatchObject({ later: 1, skills: { 'acme:docx': { note: 'mine' } } });
  });
});

test('the same skills give the same lock file, apart from times', async () => {
  const texts = [];
  for (const order of [
    ['a', 'b'],
    ['b', 'a'],
  ]) {
    const { write, add, config, folder } = await project();
    for (const name of order) await write({ [`${name}/SKILL.md`]: skillMd(name) });
    await add();
    const text = await readFile(config.lockFile, 'utf8');
    texts.push(text.replaceAll(folder, '').replaceAll(/"fetchedAt": .*/g, ''));
  }
  expect(texts[0]).toBe(texts[1]);
});

test('a source in the lock file is a path only if it is absolute, so that a short name never reads a folder of the daemon', async () => {
  const { add, installs, requester, config, lock } = await project();
  await add();
  expect(existsSync('packages/core')).toBe(true);
  const text = JSON.stringify(await lock()).replace(/"source":"[^"]+"/, '"source":"packages/core"');
  await writeFile(config.lockFile, text);
  await rm(join(config.dataDir, 'installs'), { recursive: true });
  expect(await refusal(installs.update([], requester))).toBe('SOURCE_NOT_ALLOWED');
  expect(await refusal(installs.outdated([], requester))).toBe('SOURCE_NOT_ALLOWED');
  expect(await refusal(installs.sync({ frozen: false }, requester))).toBe('SOURCE_NOT_ALLOWED');
});

test('with a damaged lock file, a digest and a publisher are revoked and restored, and skills are unknown', async () => {
  const { add, installs, requester, config, store, events } = await project();
  const digest = onlyDigest(await add());
  await writeFile(config.lockFile, 'version: [');
  expect(await refusal(installs.revoke('docx', null, requester))).toBe('LOCK_INVALID');
  expect(await refusal(installs.approve({ id: 'docx', tier: 'verified' }, requester))).toBe('LOCK_INVALID');
  for (const subject of [digest, 'publisher:acme'])
    expect(await installs.revoke(subject, null, requester)).toMatchObject({ subject, skills: [] });
  expect([...(await readDecisions(store)).revocations.keys()]).toEqual(['publisher:acme', digest]);
  await installs.restore(digest, requester);
  expect(events.slice(1).map(({ kind }) => kind)).toEqual([
    'install.refused',
    'install.refused',
    'skill.revoked',
    'skill.revoked',
    'skill.restored',
  ]);
  expect(await readFile(config.lockFile, 'utf8')).toBe('version: [');
});
