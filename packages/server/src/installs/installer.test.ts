// Threat model: T133, T152

import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { project, refusal, skillMd } from './testing/installer-project.ts';

test('adding names the Python scripts that run in WebAssembly before an approval, the surest first', async () => {
  const { add, write, approve } = await project();
  await write({
    'python/SKILL.md': skillMd('python'),
    'python/scripts/a.py': 'try:\n    import yaml\nexcept UsageError:\n    yaml = None\nprint(yaml)\n',
    'python/scripts/b.py': 'import requests\nprint(requests)\n',
    'python/scripts/c.py': 'import json\nprint(json)\n',
    'python/scripts/run.sh': '#!/bin/sh\n',
    'python/tool/__main__.py': 'print(1)\n',
    'shell/SKILL.md': skillMd('shell'),
    'shell/scripts/run.sh': '#!/bin/sh\n',
  });
  const added = async () =>
    Object.fromEntries((await add()).skills.map(({ id, runsInWasm }) => [id, runsInWasm]));
  expect(await added()).toMatchObject({
    'acme:python': ['scripts/c.py', '-m tool', 'scripts/a.py'],
    'acme:shell': undefined,
  });
  expect((await approve('acme:python')).requests).toEqual([
    ...['exec @posix', 'exec python3', 'exec sh', 'filesystem.write workspace', 'run process'],
  ]);
  expect(await added()).toMatchObject({ 'acme:python': undefined });
});

test('leaves out skills that cannot be used, with their codes, records them, and installs the others', async () => {
  const { add, write, source, events } = await project();
  await write({
    'broken/SKILL.md': '---\nlicense: MIT\n---\n',
    'hidden/SKILL.md': `${skillMd('hidden')}Read on\u{E0041}\u{E0042}.`,
    'again/SKILL.md': skillMd('docx'),
    'linked/SKILL.md': skillMd('linked'),
  });
  await symlink('/etc/passwd', join(source, 'linked/l'));
  const { skills, refused } = await add();
  expect(skills.map(({ id }) => id)).toEqual(['acme:docx']);
  expect(refused.map(({ folder, code }) => [folder, code]).sort()).toEqual([
    ['broken', 'SKILL_INVALID'],
    ['docx', 'SKILL_NAME_COLLISION'],
    ['hidden', 'SKILL_HIDDEN_TEXT'],
    ['linked', 'SKILL_UNSAFE_LINK'],
  ]);
  expect(events).toMatchObject([
    { kind: 'skill.installed' },
    { kind: 'install.refused', actor: 'ada', subject: source, refusals: refused, count: 4 },
  ]);
});

test('of several folders with one skill, the main one is installed, and exact copies are not reported', async () => {
  const { add, write } = await project();
  await write({
    '.cursor/skills/pdf/SKILL.md': skillMd('pdf', 'for one agent'),
    'docs/ja/skills/pdf/SKILL.md': skillMd('pdf', 'translated'),
    'skills/pdf/SKILL.md': skillMd('pdf'),
    '.agents/skills/pdf/SKILL.md': skillMd('pdf'),
  });
  const { skills, refused } = await add();
  expect(skills).toMatchObject([{ id: 'acme:docx' }, { id: 'acme:pdf', description: 'd' }]);
  expect(refused.map(({ folder, code, message }) => [folder, code, message])).toEqual(
    ['docs/ja/skills/pdf', '.cursor/skills/pdf'].map((folder) => [
      folder,
      'SKILL_NAME_COLLISION',
      `the skill in "${folder}" has the name of the skill in "skills/pdf": acme:pdf. To install it too, name its folder: SOURCE#:${folder}, with another --namespace`,
    ]),
  );
});

test('a skill of another source does not replace one of the same id, and has its place in another namespace', async () => {
  const { add, folder, installs, requester, inForce } = await project();
  await add();
  const other = join(folder, 'other');
  await mkdir(join(other, 'docx'), { recursive: true });
  await writeFile(join(other, 'docx/SKILL.md'), skillMd('docx', 'another'));
  const request = { source: other, allowsPaths: true };
  expect((await installs.add({ ...request, namespace: 'acme' }, requester)).refused).toMatchObject([
    { folder: 'docx', code: 'INSTALL_CONFLICT' },
  ]);
  expect((await installs.add(request, requester)).skills).toMatchObject([
    { id: 'other:docx', change: 'added' },
  ]);
  expect(Object.keys(await inForce())).toEqual(['acme:docx', 'other:docx']);
});

test('a source gets the namespace of another owner only if it is chosen, and the review names the sources that share it', async () => {
  const { add, folder, installs, requester, inForce, config, events } = await project();
  await add();
  const text = await readFile(config.lockFile, 'utf8');
  await writeFile(config.lockFile, text.replace(/"source": .*/, '"source": "acme/skills",'));
  const other = join(folder, 'elsewhere/acme');
  await mkdir(join(other, 'forms'), { recursive: true });
  await writeFile(join(other, 'forms/SKILL.md'), skillMd('forms'));
  const request = { source: other, allowsPaths: true };
  expect(await refusal(installs.add(request, requester))).toBe('NAMESPACE_TAKEN');
  expect(events.at(-1)).toMatchObject({ kind: 'install.refused', refusals: [{ code: 'NAMESPACE_TAKEN' }] });
  expect(Object.keys(await inForce())).toEqual(['acme:docx']);
  expect((await installs.review('docx')).namespaceSources).toEqual([]);
  expect((await installs.add({ ...request, namespace: 'acme' }, requester)).skills).toMatchObject([
    { id: 'acme:forms', change: 'added' },
  ]);
  expect((await installs.review('forms')).namespaceSources).toEqual(['acme/skills']);
});

test.each([
  ['a name that the source lacks', { skills: ['xlsx'] }, 'INSTALL_NOT_FOUND'],
  ['a namespace that is no name', { namespace: 'Acme Inc' }, 'SOURCE_UNSUPPORTED'],
  ['a path where paths are not allowed', { allowsPaths: false }, 'SOURCE_UNSUPPORTED'],
  ['a source that is missing', { source: '/nowhere/at/all' }, 'SOURCE_UNSUPPORTED'],
])('refuses %s, and changes nothing', async (_, request, code) => {
  const { installs, requester, source, events, inForce, config } = await project();
  expect(await refusal(installs.add({ source, allowsPaths: true, ...request }, requester))).toBe(code);
  expect(events).toMatchObject([
    { kind: 'install.refused', actor: 'ada', refusals: [{ folder: null, code }] },
  ]);
  expect(await inForce()).toEqual({});
  const left = await readdir(join(config.dataDir, 'installs')).catch(() => []);
  expect(left).toEqual([]);
});

test('a refusal records no more of long names than a source may have', async () => {
  const { installs, requester, events } = await project();
  expect(await refusal(installs.update(['x'.repeat(1024 * 1024)], requester))).toBe('INSTALL_NOT_FOUND');
  expect(JSON.stringify(events).length).toBeLessThan(8192);
  expect(events).toMatchObject([{ kind: 'install.refused', subject: 'x'.repeat(4096), count: 1 }]);
});

test('a source below the folder of the lock file is relative in it, and is found in another checkout', async () => {
  const { add, lock, installs, folder, config, requester, write } = await project();
  await add();
  const { skills } = await lock();
  expect(skills['acme:docx'].source).toBe('./acme');
  expect(await installs.list()).toMatchObject([{ source: join(folder, 'acme') }]);
  // The project moves, and its source changes.
  const moved = join(folder, 'elsewhere');
  await mkdir(moved);
  await cp(join(folder, 'acme'), join(moved, 'acme'), { recursive: true });
  await cp(config.lockFile, join(moved, 'ambit.lock'));
  Object.assign(config, { lockFile: join(moved, 'ambit.lock') });
  await write({ 'docx/SKILL.md': skillMd('docx', 'at the former place') });
  expect((await installs.update([], requester)).skills).toMatchObject([{ change: 'unchanged' }]);
  await writeFile(join(moved, 'acme/docx/SKILL.md'), skillMd('docx', 'moved'));
  expect((await installs.update([], requester)).skills).toMatchObject([{ change: 'updated' }]);
});

test('a source that is the folder of the lock file, or beside it, is read again from its place', async () => {
  const { folder, installs, requester, lock, config } = await project();
  await rm(config.lockFile, { force: true });
  Object.assign(config, { lockFile: join(folder, 'acme/ambit.lock') });
  const beside = join(folder, 'acme-more');
  await cp(join(folder, 'acme'), beside, { recursive: true });
  for (const source of [join(folder, 'acme'), `${folder}/acme#:docx`, beside])
    await installs.add({ source, namespace: `n${source.length}`, allowsPaths: true }, requester);
  const { skills } = await lock();
  expect(Object.values(skills).map((each) => (each as { source: string }).source)).toEqual(
    expect.arrayContaining(['.', '.#:docx', beside]),
  );
  expect((await installs.update([], requester)).skills.map(({ change }) => change)).toEqual([
    ...['unchanged', 'unchanged', 'unchanged'],
  ]);
});
