// Threat model: T73

import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { httpClient } from '../support/mcp-client.ts';

const canary = 'canary-7f3a';

const hidden = {
  '.env': `TOKEN=${canary}\n`,
  '.git/config': `url = https://user:${canary}@example.com/skill.git\n`,
  '.ambit/audit-key': `${canary}\n`,
  'references/.notes.md': `${canary}\n`,
};

const visible = ['SKILL.md', 'ambit.yaml', 'references/a.md', 'scripts/run.py', 'to-env'];

/** Writes the skill below a folder, and returns its own folder. */
async function writeReader(root: string): Promise<string> {
  await writeSkills(root, { reader: { ...pythonSkill('print(1)'), ...hidden, 'references/a.md': 'a' } });
  await symlink('.env', join(root, 'reader/to-env'));
  return join(root, 'reader');
}

let place = '';

const shared = sharedDaemon(async (root) => {
  place = await writeReader(root);
  return { skills: [{ path: root, tier: 'local' }], discoveredSkills: false };
});

test('HTTP serves no hidden file of a skill to any key, and every other file', async () => {
  const daemon = shared();
  const { body: skill } = await daemon.request('GET', '/skills/reader');
  expect(skill.files.map(({ path }: { path: string }) => path)).toEqual(visible);
  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${daemon.key}` };
    const answer = await fetch(`${daemon.url}${path}`, { headers });
    return [answer.status, await answer.text()] as const;
  };
  const file = (path: string) => get(`/skills/reader/files/${path}`);
  for (const path of [...Object.keys(hidden), '.git/', '.git', 'to-env', 'references/../.env']) {
    const [status, text] = await file(path);
    expect([path, status, text.includes(canary)]).toEqual([path, 404, false]);
  }
  expect(await file('references/a.md')).toEqual([200, 'a']);

  const everything = await Promise.all(
    ['/skills', '/skills/reader', '/skills/reader/files', '/skills/reader/body'].map(get),
  );
  expect(JSON.stringify(everything)).not.toMatch(/canary|audit-key|\.notes|\.git/);

  // Like `git gc`.
  await writeFile(join(place, '.git/packed-refs'), canary);
  expect((await daemon.request('GET', '/skills/reader')).body.digest).toBe(skill.digest);
});

test('MCP serves no hidden file to a model, and every other file', async () => {
  const daemon = shared();
  const client = await httpClient(daemon);
  const read = async (path: string) =>
    JSON.stringify(await client.callTool({ name: 'read_skill_file', arguments: { name: 'reader', path } }));
  for (const path of Object.keys(hidden)) expect(await read(path)).not.toContain(canary);
  expect(await read('references/a.md')).toContain('"a"');
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri).filter((uri) => uri.includes('/.'))).toEqual([]);
  for (const path of Object.keys(hidden))
    await expect(client.readResource({ uri: `skill://reader/${path}` })).rejects.toThrow();
  const { contents } = await client.readResource({ uri: 'skill://reader/references/a.md' });
  expect(contents).toMatchObject([{ text: 'a' }]);
});

test('validation names hidden files, and import, merge and export leave them out', async () => {
  const folder = await temporaryFolder();
  const root = join(folder, 'skills');
  const place = await writeReader(root);
  const config = join(folder, 'ambit.config.yaml');
  await writeFile(
    config,
    JSON.stringify({ skills: [{ path: './skills', tier: 'local' }], discoveredSkills: false }),
  );
  const run = (...words: string[]) => ambit([...words, '--config', config], { cwd: folder });

  const validated = await run('skills', 'validate', place);
  expect([validated.code, validated.stdout]).toEqual([
    0,
    expect.stringContaining(
      'hidden files and folders are not part of the skill: .ambit, .env, .git, references/.notes.md',
    ),
  ]);
  expect(validated.stdout).toContain(
    'to-env: the link leads to a hidden file, so it is broken when the skill runs',
  );

  const imported = join(folder, 'imported');
  const report = await run('import', 'folder', root, '--out', imported);
  expect(report.stdout + report.stderr).toContain('hidden files and folders are not part of the skill');
  expect(await below(imported)).toEqual(
    visible.filter((path) => path !== 'to-env').map((path) => `reader/${path}`),
  );

  const learned = join(folder, 'learned');
  const merged = join(folder, 'merged');
  await mkdir(learned);
  await writeSkills(learned, { noted: { ...hidden, 'references/a.md': 'a' } });
  await run('skills', 'merge', learned, '--into', merged);
  expect(await below(merged)).toEqual(['noted/SKILL.md', 'noted/references/a.md']);

  const exported = join(folder, 'exported');
  await run('export', 'isdlc', '--out', exported);
  expect((await below(exported)).filter((path) => /(^|\/)\.(env|git|ambit|notes)/.test(path))).toEqual([]);
  expect((await below(exported)).length).toBeGreaterThan(0);
});

/** Every file below a folder, sorted by path. */
async function below(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();
}
