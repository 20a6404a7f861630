import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { prepareDataDir, usableKey } from '../assembly/data-dir.ts';
import { keyActions } from '../assembly/key-actions.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load-config.ts';
import { UntrustedError } from '../config/untrusted-error.ts';

test('a data directory that Ambit made is the user’s own, with the keys that Ambit put there', async () => {
  const { load } = await userIn({ 'x/y': '' });
  const config = await load();
  await prepareDataDir(config);
  await load();
  const { key } = await usableKey(config);
  await keyActions.create(config, { name: 'bot', scopes: ['prompt'] });
  await keyActions.revoke(config, 'bot');
  expect((await usableKey(await load())).key).toBe(key);
});

test('keys made by naming the directory count for it when it is found later', async () => {
  const { load } = await userIn({ 'x/y': '' });
  const config = await load();
  await prepareDataDir(config);
  const named = { ...config, dataDirTrust: { ...config.dataDirTrust, project: null } };
  await keyActions.create(named, { name: 'bot', scopes: ['prompt'] });
  expect((await load()).dataDir).toBe(config.dataDir);
});

test('a data directory that came with a folder is refused, with what to type', async () => {
  const { cwd, load } = await userIn({ '.ambit/key': 'k'.repeat(40) });
  expect(await refusal(load())).toBe(
    `the data directory ${cwd}/.ambit is not trusted: your Ambit did not create it here. Nothing in it is in force. Review it, and trust it, with: ambit trust ${cwd}`,
  );
});

test.each([
  ['key', 'k'.repeat(40)],
  ['keys.json', '{"keys":[]}'],
])('a %s that somebody else puts into the user’s own data directory is refused', async (name, content) => {
  const { load } = await userIn({ 'x/y': '' });
  const { dataDir } = await load();
  await prepareDataDir(await load());
  await writeFile(join(dataDir, name), content, { mode: 0o600 });
  expect(await refusal(load())).toMatch(`your Ambit did not write its ${name}`);
  await rm(join(dataDir, name));
  expect((await load()).dataDir).toBe(dataDir);
});

test('another directory in the place of the user’s own is refused, and so is a link to the user’s own', async () => {
  const { cwd, load } = await userIn({ 'x/y': '' });
  const { dataDir } = await load();
  await prepareDataDir(await load());
  await rename(dataDir, join(cwd, 'aside'));
  await mkdir(dataDir, { mode: 0o700 });
  expect(await refusal(load())).toMatch('your Ambit did not create it here');
  await rm(dataDir, { recursive: true });
  await symlink(join(cwd, 'aside'), dataDir);
  expect(await refusal(load())).toMatch('it is a symbolic link');
  await rm(dataDir);
  await rename(join(cwd, 'aside'), dataDir);
  expect((await load()).dataDir).toBe(dataDir);
});

test('a directory that appears after the configuration was loaded is refused before it is used', async () => {
  const { load } = await userIn({ 'x/y': '' });
  const config = await load();
  await mkdir(config.dataDir);
  expect(await refusal(prepareDataDir(config))).toMatch('your Ambit did not create it here');
  await rm(config.dataDir, { recursive: true });
  expect(await prepareDataDir(config)).toBeUndefined();
});

test('two commands that start at the same time in a new folder both accept the data directory that one of them creates', async () => {
  const { load } = await userIn({ 'x/y': '' });
  const config = await load();
  const both = [prepareDataDir(config), prepareDataDir(config), load().then(prepareDataDir)];
  expect(await Promise.all(both)).toEqual([undefined, undefined, undefined]);
});

test('a directory that is named is used, whoever made it', async () => {
  const { cwd, load } = await userIn({ '.ambit/key': 'k'.repeat(40), 'other.yaml': '' });
  expect((await load({ dataDir: '.ambit' })).dataDir).toBe(join(cwd, '.ambit'));
  expect((await load({ config: 'other.yaml' })).dataDir).toBe(join(cwd, '.ambit'));
});

test('in a skill’s folder, and below one, the data directory is a place of the user’s', async () => {
  const { cwd, dataHome, load } = await userIn({ 'skills/a/SKILL.md': '', 'skills/a/scripts/run.sh': '' });
  const own = join(dataHome, 'ambit/data');
  expect((await load({}, 'skills/a')).dataDir).toBe(own);
  expect((await load({}, 'skills/a/scripts')).dataDir).toBe(own);
  expect((await load({}, 'skills')).dataDir).toBe(join(cwd, 'skills/.ambit'));
});

test('where the home folder itself has a SKILL.md, the place of the user’s is used all the same', async () => {
  const { cwd, dataHome, load } = await userIn({ 'SKILL.md': '' });
  const below = { ...(await load()), dataDirTrust: { project: cwd, dataHome: join(cwd, 'share') } };
  expect(await prepareDataDir({ ...below, dataDir: join(cwd, 'share/ambit/data') })).toBeUndefined();
  expect(await prepareDataDir(await load())).toBeUndefined();
  expect((await load()).dataDir).toBe(join(dataHome, 'ambit/data'));
});

test('no data directory is made in a skill’s folder, also where one is named there', async () => {
  const { cwd, load } = await userIn({ 'skills/a/SKILL.md': '' });
  await expect(prepareDataDir(await load({ dataDir: 'skills/a/data' }))).rejects.toThrow(
    `the data directory ${cwd}/skills/a/data would be in the skill folder ${cwd}/skills/a, whose files are served; name a folder outside it`,
  );
  expect(await prepareDataDir(await load({ dataDir: 'skills/data' }))).toBeUndefined();
});

/** A user in a folder with these files, who trusts nothing yet. */
async function userIn(files: Readonly<Record<string, string>>) {
  const [cwd, dataHome] = [await folder(), await folder()];
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(cwd, path, '..'), { recursive: true });
    await writeFile(join(cwd, path), content, { mode: 0o600 });
  }
  const load = (flags: { dataDir?: string; config?: string } = {}, below = ''): Promise<Config> =>
    loadConfig({ flags, env: {}, cwd: join(cwd, below), home: '/home/ada', dataHome });
  return { cwd, dataHome, load };
}

async function folder(): Promise<string> {
  const made = await realpath(await mkdtemp(join(tmpdir(), 'ambit-test-')));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

async function refusal(attempt: Promise<unknown>): Promise<string> {
  const error: unknown = await attempt.catch((thrown: unknown) => thrown);
  if (!(error instanceof UntrustedError)) throw new Error('it was not refused', { cause: error });
  return error.message;
}
