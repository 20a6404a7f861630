// Threat model: T73, T74, T132

import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { UsageError } from '@ambit/core/outcome';
import { folderCatalog } from '@ambit/runtime';
import { expect, test } from 'vitest';
import { temporaryFolder, writeFiles } from '../../../../test/support/temporary-folder.ts';
import { type ImportReport, importSkills } from './import-skills.ts';

const manifest = 'skills: [{ name: a, file: a.md }, { name: b, file: sub/b.md }]';

const pair = { 'manifest.yaml': manifest, 'a.md': '# A\n', 'sub/b.md': '# B\n' };

async function source(files: Readonly<Record<string, string>>): Promise<{ from: string; out: string }> {
  const root = await temporaryFolder();
  await writeFiles(join(root, 'from'), files);
  return { from: join(root, 'from'), out: join(root, 'out/skills') };
}

function leftOut({ lines }: ImportReport): ImportReport['lines'] {
  return lines.filter(({ kind }) => kind === 'left-out');
}

test('preserves existing folders without force, and replaces folders and links completely with it', async () => {
  const { from, out } = await source(pair);
  const elsewhere = await temporaryFolder();
  await writeFiles(out, { 'a/SKILL.md': 'mine', 'a/old.txt': 'old' });
  await writeFile(join(elsewhere, 'kept'), '');
  await symlink(elsewhere, join(out, 'b'));
  const first = await importSkills({ kind: 'agentium', from, out });
  expect([first.written, first.existing]).toEqual([[], ['a', 'b']]);
  expect(leftOut(first)).toEqual(
    ['a', 'b'].map((about) => ({
      kind: 'left-out',
      about,
      text: 'already exists; use --force to replace it',
    })),
  );
  expect(await readFile(join(out, 'a/SKILL.md'), 'utf8')).toBe('mine');
  const second = await importSkills({ kind: 'agentium', from, out, force: true });
  expect([second.written, second.existing, leftOut(second)]).toEqual([['a', 'b'], [], []]);
  expect(await readdir(join(out, 'a'))).toEqual(['SKILL.md', 'ambit.yaml']);
  expect((await readdir(out)).sort()).toEqual(['a', 'b']);
  expect(await readdir(elsewhere)).toEqual(['kept']);
});

test('reports what a dry run would write, and writes nothing', async () => {
  const { from, out } = await source(pair);
  expect((await importSkills({ kind: 'agentium', from, out, dryRun: true })).written).toEqual(['a', 'b']);
  await expect(readdir(out)).rejects.toThrow('ENOENT');
});

test('reports a skill that cannot be written, and leaves no files behind', async () => {
  // The file is within the limit of a source; with frontmatter it exceeds the limit of a SKILL.md.
  const { from, out } = await source({ ...pair, 'a.md': 'x'.repeat(1024 * 1024) });
  const report = await importSkills({ kind: 'agentium', from, out });
  expect(report.written).toEqual(['b']);
  expect(report.lines.at(-1)).toEqual({
    kind: 'left-out',
    about: 'a',
    text: 'cannot be written: SKILL.md exceeds 1048576 bytes; move long parts into references/',
  });
  expect(await readdir(out)).toEqual(['b']);
});

test('refuses a file outside the manifest’s folder, by path or by link, and names it', async () => {
  const { from, out } = await source({
    'b.md': '# B\n',
    '../secret.md': 'secret',
    'long.md': 'x'.repeat(1024 * 1024 + 1),
  });
  await symlink('../secret.md', join(from, 'link.md'));
  await symlink('..', join(from, 'up'));
  await symlink('b.md', join(from, 'within.md'));
  await mkdir(join(from, 'folder.md'));
  const paths = [
    '../secret.md',
    join(from, '../secret.md'),
    'link.md',
    'up/secret.md',
    'a\\b',
    'a\0b',
    '~/x',
    'file:///etc/passwd',
  ];
  const all = [...paths, 'long.md', 'folder.md', 'within.md'];
  await writeFile(
    join(from, 'manifest.yaml'),
    JSON.stringify({ skills: all.map((file, index) => ({ name: `s${index}`, file })) }),
  );
  const report = await importSkills({ kind: 'agentium', from, out });
  expect(report.written).toEqual(['s10']);
  expect(
    leftOut(report).map(({ about, text }) => `${about}: ${text.replace(/^names the file .*?, which /, '')}`),
  ).toEqual([
    "s0: leads out of the manifest's folder",
    "s1: is outside the manifest's folder",
    "s2: is a link out of the manifest's folder",
    "s3: is a link out of the manifest's folder",
    's4: has a backslash; use forward slashes',
    's5: has a control character',
    "s6: is outside the manifest's folder",
    "s7: is outside the manifest's folder",
    's8: has 1048577 bytes; the limit is 1048576',
    's9: is not a regular file',
  ]);
});

test('reads no hidden file, by path or by link, except in the skill folders of other systems', async () => {
  const { from, out } = await source({
    '.git/config': 'url = https://user:token@example.com\n',
    '.env': 'TOKEN=token\n',
    'sub/.notes.md': '# Notes\n',
    '.claude/skills/a.md': '# A\n',
    '.claude/.secret.md': '# S\n',
    '.claude/skills/.secret.md': '# S\n',
    '.cursor/mcp.json': '{"mcpServers":{"a":{"env":{"TOKEN":"token"}}}}\n',
    '.claude/settings.local.json': '{"env":{"TOKEN":"token"}}\n',
  });
  await symlink('.git/config', join(from, 'link.md'));
  const paths = [
    '.git/config',
    '.env',
    'sub/.notes.md',
    'link.md',
    '.claude/.secret.md',
    '.claude/skills/.secret.md',
    '.cursor/mcp.json',
    '.claude/settings.local.json',
    '.claude/skills/a.md',
  ];
  await writeFile(
    join(from, 'manifest.yaml'),
    JSON.stringify({ skills: paths.map((file, index) => ({ name: `s${index}`, file })) }),
  );
  const report = await importSkills({ kind: 'agentium', from, out });
  expect(report.written).toEqual(['s8']);
  expect(leftOut(report).map(({ text }) => text)).toEqual(
    paths
      .slice(0, -1)
      .map((path) => `names the file ${path}, which is hidden; hidden files are not imported`),
  );
});

test('imports a folder of skills and Markdown files, and leaves a valid skill folder unchanged', async () => {
  const skillMd = '---\nname: whole\ndescription: Whole.\n---\n\nText  \n';
  const { from, out } = await source({
    'whole/SKILL.md': skillMd,
    'whole/ambit.yaml': 'phases: [plan] # mine\n',
    'whole/references/x.md': '# X',
    'group/odd_name/SKILL.md':
      '---\nname: Odd Name\ndescription: Use when: asked\nglobs: ["*.ts"]\n---\nBody\n',
    'wrong/SKILL.md': '---\nname: wrong\ndescription: Wrong.\n---\n',
    'wrong/ambit.yaml': 'phasess: []\n',
    'Review Notes.md': '# Review\n\nRead it twice. Then again.\n',
    'README.md': '# For people\n',
    '.cursor/rules/style.mdc':
      '---\ndescription: House style\nglobs: "*.ts"\nalwaysApply: true\n---\nShort.\n',
    '.claude/commands/git/commit.md':
      '---\nallowed-tools: Bash(git add:*), Read\nargument-hint: [message]\n---\nCommit it.\n',
    'node_modules/x/SKILL.md': skillMd,
  });
  await symlink('/etc/passwd', join(from, 'whole/link'));
  await symlink('/etc/passwd', join(from, 'link.md'));
  const report = await importSkills({ kind: 'folder', from, out });
  expect(report.written).toEqual(['commit', 'style', 'review-notes', 'odd-name', 'whole']);
  expect(await readFile(join(out, 'whole/SKILL.md'), 'utf8')).toBe(skillMd);
  expect(await readFile(join(out, 'whole/ambit.yaml'), 'utf8')).toBe('phases: [plan] # mine\n');
  expect((await readdir(join(out, 'whole'), { recursive: true })).sort()).toEqual([
    'SKILL.md',
    'ambit.yaml',
    'references',
    'references/x.md',
  ]);
  const found = await folderCatalog([{ path: out, tier: 'local' }]).list();
  expect(
    found.map(({ id, manifest, sidecar }) => [
      id,
      manifest.description,
      manifest.metadata,
      sidecar.tools,
      sidecar.injection.mode,
    ]),
  ).toEqual([
    ['commit', 'Commit it.', { 'argument-hint': 'message' }, ['Bash', 'Read'], 'on-demand'],
    ['odd-name', 'Use when: asked', { globs: '*.ts' }, undefined, 'on-demand'],
    ['review-notes', 'Review: Read it twice.', { title: 'Review Notes' }, undefined, 'on-demand'],
    ['style', 'House style', { globs: '*.ts' }, undefined, 'always'],
    ['whole', 'Whole.', {}, undefined, 'on-demand'],
  ]);
  expect(
    report.lines.filter(({ kind }) => kind === 'left-out').map(({ about, text }) => `${about}: ${text}`),
  ).toEqual([
    'README.md: is not imported, because a file of this name is rarely a skill; to import it, pass its path',
    'whole/SKILL.md: has a symbolic link at link; replace it with the file',
    'wrong/SKILL.md: is not a valid skill: ambit.yaml:1: unknown field "phasess" (did you mean phases?)',
  ]);
});

test('reads skill.md, a skill beside others, and skills below another one', async () => {
  const skillMd = (name: string) => `---\nname: ${name}\ndescription: d\n---\n\nText\n`;
  const { from, out } = await source({
    'SKILL.md': skillMd('router'),
    'skill.md': 'notes',
    'examples/demo/SKILL.md': skillMd('demo'),
    'skills/lower/skill.md': skillMd('lower'),
    'skills/lower/references/a.md': 'a',
  });
  const report = await importSkills({ kind: 'folder', from, out });
  expect([report.written, leftOut(report)]).toEqual([['router', 'lower'], []]);
  const files = await readdir(out, { recursive: true, withFileTypes: true });
  expect(
    files
      .filter((file) => file.isFile())
      .map((file) => relative(out, join(file.parentPath, file.name)))
      .sort(),
  ).toEqual([
    'lower/SKILL.md',
    'lower/references/a.md',
    'router/SKILL.md',
    'router/examples/demo/SKILL.md',
    'router/skill.md',
  ]);
});

test('follows no links to files or folders', async () => {
  const { from, out } = await source({
    '../other/commands/x.md': '# X\n',
    '../other/skills/y/SKILL.md': '# Y-1: y\n\n## Description\nY.\n',
    'a.md': '# A\n',
    'skills-manifest.json': '{"ownership":{}}',
    'skills/z/SKILL.md': '# Z-1: z\n\n## Description\nZ.\n',
  });
  await symlink('../other', join(from, '.claude'));
  await symlink('../other/skills', join(from, 'linked'));
  expect((await importSkills({ kind: 'folder', from, out })).written).toEqual(['a', 'z']);
  expect((await importSkills({ kind: 'isdlc', from, out, force: true })).written).toEqual(['z']);
});

test('reports each skill when the output folder cannot be written to', async () => {
  const { from, out } = await source({ 'a.md': '# A\n', '../out/skills': 'a file' });
  const report = await importSkills({ kind: 'folder', from, out });
  expect([report.written, report.lines.map(({ kind, about }) => [kind, about])]).toEqual([
    [],
    [['left-out', 'a']],
  ]);
});

test('imports a single file as one skill, even a README', async () => {
  const { from, out } = await source({ 'README.md': '# For people\n' });
  expect((await importSkills({ kind: 'folder', from: join(from, 'README.md'), out })).written).toEqual([
    'readme',
  ]);
});

test.each(['wreckit', 'agentium', 'isdlc'] as const)(
  'refuses a folder without a manifest of %s',
  async (kind) => {
    const { from, out } = await source({ 'x.md': '' });
    await expect(importSkills({ kind, from, out })).rejects.toThrow(UsageError);
    await expect(importSkills({ kind, from: join(from, 'nowhere'), out })).rejects.toThrow('does not exist');
  },
);
