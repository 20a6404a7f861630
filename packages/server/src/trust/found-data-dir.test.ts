// Threat model: T26, T28, T34, T146

import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { createDataDir } from '../audit/file/create-data-dir.ts';
import type { Config } from '../config/config.ts';
import { createKey, listKeys, revokeKey } from '../local/keys.ts';
import { trustActions } from '../local/trust-actions.ts';
import { dataFiles, prepareDataDir, usableKey } from '../setup/data-dir.ts';
import { interruptChange } from '../store/testing/interrupted-change.ts';
import { loadConfig } from '../testing/load-config.ts';
import { whyUntrusted } from './found-data-dir.ts';
import { UntrustedError } from './untrusted-error.ts';

test('accepts a data directory and keys that Ambit created', async () => {
  const { load, config } = await userWithData();
  await load();
  const { key } = await usableKey(config);
  await createKey(config, {}, { name: 'bot', scopes: ['prompt'] });
  await revokeKey(config, {}, 'bot');
  expect((await usableKey(await load())).key).toBe(key);
});

test('accepts keys that were created while the directory was named by a flag', async () => {
  const { load, config } = await userWithData();
  const named = { ...config, dataDirTrust: { ...config.dataDirTrust, project: null } };
  await createKey(named, {}, { name: 'bot', scopes: ['prompt'] });
  expect((await load()).dataDir).toBe(config.dataDir);
});

test.each([
  ['key', 'k'.repeat(40)],
  ['keys.db', 'a database'],
  ['keys.db-journal', 'what SQLite would write into keys.db'],
  ['keys.db-wal', 'what SQLite would read instead of keys.db'],
])("refuses a %s that another program puts into the user's data directory", async (name, content) => {
  const { load, config } = await userWithData();
  const { dataDir } = config;
  await writeFile(join(dataDir, name), content, { mode: 0o600 });
  expect(await refusal(load())).toMatch(`your Ambit did not write its ${name}`);
  await rm(join(dataDir, name));
  expect((await load()).dataDir).toBe(dataDir);
});

test('a command beside others that change keys is never refused, and neither are they', async () => {
  const { load, config } = await userWithData();
  const others = ['a', 'b'].map((name) => creatingKeys(config, name, 8));
  let isChanging = true;
  const changes = Promise.all(others).finally(() => {
    isChanging = false;
  });
  while (isChanging) expect((await load()).dataDir).toBe(config.dataDir);
  expect(await changes).toEqual(['', '']);
  expect(await listKeys(await load(), {})).toHaveLength(16);
});

test('after a command was killed while it changed keys, trust in the directory restores the keys', async () => {
  const { cwd, dataHome, load, config } = await userWithData();
  await createKey(config, {}, { name: 'bot', scopes: ['prompt'] });
  const { keys } = dataFiles(config);
  const before = await readFile(keys);
  interruptChange(keys);
  expect(await refusal(load())).toMatch('your Ambit did not write its keys.db');
  const { review, accept } = trustActions({ home: '/home/ada', dataHome, configHome: undefined });
  await accept(await review(cwd));
  expect((await readFile(keys)).equals(before)).toBe(true);
  expect(await listKeys(await load(), {})).toMatchObject([{ name: 'bot', status: 'good' }]);
  expect((await load()).dataDir).toBe(config.dataDir);
});

test("refuses another directory in place of the user's own, and a link to the user's own", async () => {
  const { cwd, load, config } = await userWithData();
  const { dataDir } = config;
  await rename(dataDir, join(cwd, 'aside'));
  await mkdir(dataDir, { mode: 0o700 });
  expect(await refusal(load())).toMatch(
    'it is not recorded as yours (Ambit records only directories that it creates without --config and --data-dir)',
  );
  await rm(dataDir, { recursive: true });
  await symlink(join(cwd, 'aside'), dataDir);
  expect(await refusal(load())).toMatch('it is a symbolic link');
  await rm(dataDir);
  await rename(join(cwd, 'aside'), dataDir);
  expect((await load()).dataDir).toBe(dataDir);
});

test('accepts what a command that was killed while it created the directory leaves, and nothing else', async () => {
  const { cwd, dataHome, load } = await userIn({ '.claude/skills/x': '' });
  const dataDir = join(cwd, '.ambit');
  createDataDir(dataDir);
  await writeFile(join(dataDir, 'trust-mark.draft'), 'a');
  await writeFile(join(dataDir, 'trust-mark'), 'a');
  const config = await load();
  await writeFile(join(dataDir, 'audit.db'), '');
  const unrecorded = 'it is not recorded as yours';
  expect(await refusal(load())).toMatch(unrecorded);
  await rm(join(dataDir, 'audit.db'));
  await chmod(dataDir, 0o755);
  expect(await refusal(prepareDataDir(config))).toMatch(unrecorded);
  await chmod(dataDir, 0o700);
  await prepareDataDir(config);
  await writeFile(join(dataDir, 'audit.db'), '');
  expect((await load()).dataDir).toBe(dataDir);
  expect(await whyUntrusted(dataDir, dataHome)).toBeUndefined();
});

test.each([
  ['that is missing', (file: string) => rm(file)],
  ['that is empty', (file: string) => writeFile(file, '')],
  ['that is complete', async () => undefined],
])('completes a new directory with a .gitignore %s', async (_what, change) => {
  const { cwd, load } = await userIn({ '.claude/skills/x': '' });
  const file = join(cwd, '.ambit/.gitignore');
  createDataDir(join(cwd, '.ambit'));
  await change(file);
  await prepareDataDir(await load());
  expect(await readFile(file, 'utf8')).toBe('*\n');
});

test.each([
  ['that lets Git add the keys', (file: string) => writeFile(file, '!*\n')],
  ['that is a folder', (file: string) => rm(file).then(() => mkdir(file))],
  ['that is a link', (file: string) => rm(file).then(() => symlink('../ignored', file))],
])('refuses an empty directory with a .gitignore %s', async (_what, change) => {
  const { cwd, load } = await userIn({ ignored: '*\n', '.claude/skills/x': '' });
  createDataDir(join(cwd, '.ambit'));
  await change(join(cwd, '.ambit/.gitignore'));
  expect(await refusal(load())).toMatch('it is not recorded as yours');
});

test('refuses a directory that appears after the configuration was loaded, before using it', async () => {
  const { load } = await userIn({ '.claude/skills/x': '' });
  const config = await load();
  await mkdir(config.dataDir);
  expect(await refusal(prepareDataDir(config))).toMatch(
    'it is not recorded as yours (Ambit records only directories that it creates without --config and --data-dir)',
  );
  await rm(config.dataDir, { recursive: true });
  expect(await prepareDataDir(config)).toBeUndefined();
});

test('two simultaneous commands in a new folder both accept the data directory that one of them creates', async () => {
  const { load } = await userIn({ '.claude/skills/x': '' });
  const config = await load();
  const both = [prepareDataDir(config), prepareDataDir(config), load().then(prepareDataDir)];
  expect(await Promise.all(both)).toEqual([undefined, undefined, undefined]);
});

test('creates none in a skill folder, whose files are served', async () => {
  const { cwd, dataHome, load } = await userIn({
    'a/SKILL.md': '',
    'a/.claude/skills/x': '',
    'a/scripts/x': '',
  });
  await expect(prepareDataDir(await load({}, 'a'))).rejects.toMatchObject({
    code: 'AUDIT_UNAVAILABLE',
    message: `cannot create the data directory ${cwd}/a/.ambit in the skill folder ${cwd}/a, whose files are served; name a folder outside it with --data-dir or dataDir`,
  });
  expect((await load({}, 'a/scripts')).dataDir).toBe(join(dataHome, 'ambit/data'));
});

test("uses the user's own data directory even if the home folder has a SKILL.md", async () => {
  const { cwd, dataHome, load } = await userIn({ 'SKILL.md': '' });
  const below = { ...(await load()), dataDirTrust: { project: cwd, dataHome: join(cwd, 'share') } };
  expect(await prepareDataDir({ ...below, dataDir: join(cwd, 'share/ambit/data') })).toBeUndefined();
  expect(await prepareDataDir(await load())).toBeUndefined();
  expect((await load()).dataDir).toBe(join(dataHome, 'ambit/data'));
});

/** A process that creates keys, one after the other. Resolves to its errors. */
async function creatingKeys(config: Config, name: string, count: number): Promise<string> {
  const program = `
    import { createKey } from ${JSON.stringify(join(import.meta.dirname, '../local/keys.ts'))};
    const config = ${JSON.stringify(config)};
    for (let number = 0; number < ${count}; number += 1)
      await createKey(config, {}, { name: ${JSON.stringify(name)} + number, scopes: ['prompt'] });`;
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  return stderr;
}

/** A user in a folder with these files, who trusts nothing yet. */
async function userIn(files: Readonly<Record<string, string>>) {
  const [cwd, dataHome] = [await temporaryFolder(), await temporaryFolder()];
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(cwd, path, '..'), { recursive: true });
    await writeFile(join(cwd, path), content, { mode: 0o600 });
  }
  const load = (flags: { dataDir?: string; config?: string } = {}, below = ''): Promise<Config> =>
    loadConfig({
      flags,
      env: {},
      cwd: join(cwd, below),
      home: '/home/ada',
      dataHome,
      configHome: undefined,
      readPolicy: async () => undefined,
    });
  return { cwd, dataHome, load };
}

/** A user whose data directory Ambit created. */
async function userWithData() {
  const user = await userIn({ '.claude/skills/x': '' });
  const config = await user.load();
  await prepareDataDir(config);
  return { ...user, config };
}

async function refusal(attempt: Promise<unknown>): Promise<string> {
  const error: unknown = await attempt.catch((thrown: unknown) => thrown);
  if (!(error instanceof UntrustedError)) throw new Error('it was not refused', { cause: error });
  return error.message;
}
