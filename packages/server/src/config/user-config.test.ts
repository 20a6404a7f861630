// Threat model: T443, T445

import { chmod, chown, lchown, mkdir, rename, rm, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { loadConfig } from '../testing/load-config.ts';
import { UntrustedError } from '../trust/untrusted-error.ts';
import type { ConfigSources } from './config.ts';

const name = 'ambit.config.yaml';
const isRoot = process.getuid?.() === 0;

describe('outside a project', () => {
  test("the user's own configuration and data are in force, the same in every folder, without trust", async () => {
    const { user, configHome, dataHome, home } = await userWith('logLevel: warn');
    for (const folder of ['one', 'two/deep']) {
      const cwd = join(home, folder);
      await mkdir(cwd, { recursive: true });
      expect(await loadConfig({ ...user, cwd })).toMatchObject({
        logLevel: 'warn',
        file: join(configHome, 'ambit', name),
        scope: { kind: 'user', searched: cwd },
        dataDir: join(dataHome, 'ambit/data'),
        lockFile: join(dataHome, 'ambit/data/ambit.lock'),
      });
    }
  });

  test('no skill of the current folder is found, only skills of the home folder', async () => {
    const { user, home } = await userWith('bundledSkills: false');
    const cwd = await temporaryFolder({ 'src/.claude/skills/a/SKILL.md': '' });
    const paths = async (sources: ConfigSources) =>
      (await loadConfig(sources)).skills.map(({ path }) => path);
    const own = [join(home, '.agents/skills'), join(home, '.claude/skills')];
    expect(await paths({ ...user, cwd })).toEqual(own);
    expect(await paths({ ...user, cwd: join(cwd, 'src'), outsideProjects: true })).toEqual(own);
  });

  test('a daemon that serves it does not change to a project that appears', async () => {
    const { user } = await userWith('logLevel: warn');
    const cwd = await temporaryFolder({ [name]: 'logLevel: error' });
    expect((await loadConfig({ ...user, cwd, outsideProjects: true })).logLevel).toBe('warn');
    await expect(loadConfig({ ...user, cwd })).rejects.toThrow(UntrustedError);
  });

  test('its own folder is no project, and neither is a home folder with skills', async () => {
    const { user, configHome, home } = await userWith('logLevel: warn');
    await mkdir(join(home, '.claude/skills'), { recursive: true });
    await mkdir(join(configHome, 'ambit/below'));
    for (const cwd of [join(configHome, 'ambit'), join(configHome, 'ambit/below'), home])
      expect(await loadConfig({ ...user, cwd })).toMatchObject({ scope: { kind: 'user' }, logLevel: 'warn' });
  });

  test('without a home folder, an error names what to do; a named data directory suffices', async () => {
    const { user } = await userWith('logLevel: warn');
    const homeless = { ...user, dataHome: undefined, configHome: undefined };
    await expect(loadConfig(homeless)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      details: {
        issues: [
          'dataDir: this folder is in no project, and this user has no home folder for a data directory; name one with --data-dir',
        ],
      },
    });
    expect(await loadConfig({ ...homeless, flags: { dataDir: '/srv/data' } })).toMatchObject({
      dataDir: '/srv/data',
      file: undefined,
    });
  });
});

test.each(['.ambit', '.agents/skills', '.claude/skills'])(
  'a folder with %s is a project, but not the folders in it',
  async (sign) => {
    const { user, dataHome } = await userWith('logLevel: warn');
    const cwd = await temporaryFolder({ 'src/x': '' });
    await mkdir(join(cwd, sign), { recursive: true, mode: 0o700 });
    await chmod(join(cwd, sign), 0o700);
    expect(await loadConfig({ ...user, cwd })).toMatchObject({
      file: undefined,
      scope: { kind: 'project', folder: cwd, sign },
      dataDir: join(cwd, '.ambit'),
      logLevel: 'info',
      lockFile: join(cwd, 'ambit.lock'),
    });
    expect((await loadConfig({ ...user, cwd: join(cwd, 'src') })).dataDir).toBe(join(dataHome, 'ambit/data'));
  },
);

describe("the user's own configuration is refused if another user could change it", () => {
  test.each([
    ['it', 'config/ambit/ambit.config.yaml', 0o664],
    ['its folder', 'config/ambit', 0o775],
    ['a folder above it', 'config', 0o777],
  ])('a group or all users can write %s', async (_, place, mode) => {
    const { user, home } = await userWith('logLevel: warn');
    const path = join(home, place);
    await chmod(path, mode);
    expect(await refusal(user)).toEqual({
      path: join(home, 'config/ambit', name),
      reason: `other users can write ${path} (mode ${mode.toString(8)})`,
      command: `chmod go-w ${path}`,
    });
    await chmod(path, 0o755);
    expect((await loadConfig(user)).logLevel).toBe('warn');
  });

  test('a link leads to a file that others can write, or into their folder, or to nothing', async () => {
    const { user, home } = await userWith('logLevel: warn');
    const shared = await temporaryFolder({ [name]: 'logLevel: error' });
    const file = join(home, 'config/ambit', name);
    await rm(file);
    await symlink(join(shared, name), file);
    expect((await loadConfig(user)).logLevel).toBe('error');
    await chmod(shared, 0o777);
    expect(await refusal(user)).toMatchObject({ command: `chmod go-w ${shared}` });
    await chmod(shared, 0o755);
    await chmod(join(shared, name), 0o666);
    expect(await refusal(user)).toMatchObject({ command: `chmod go-w ${join(shared, name)}` });
    await rm(join(shared, name));
    await expect(loadConfig(user)).rejects.toThrow(
      `${file}: cannot be read: a link on the way to it leads to ${join(shared, name)}, which does not exist`,
    );
  });

  test('a folder above is a link into a folder that others can write', async () => {
    const { user, home } = await userWith('logLevel: warn');
    const shared = await temporaryFolder({ x: '' });
    await rename(join(home, 'config/ambit'), join(shared, 'moved'));
    await symlink(relative(join(home, 'config'), join(shared, 'moved')), join(home, 'config/ambit'));
    expect((await loadConfig(user)).logLevel).toBe('warn');
    await chmod(shared, 0o775);
    expect(await refusal(user)).toMatchObject({ command: `chmod go-w ${shared}` });
  });

  test.runIf(isRoot)('another user owns it, its folder, or a link to it (needs root)', async () => {
    const { user, home } = await userWith('logLevel: warn');
    const [folder, file] = [join(home, 'config/ambit'), join(home, 'config/ambit', name)];
    for (const path of [file, folder]) {
      await chown(path, 12_345, 12_345);
      expect(await refusal(user)).toMatchObject({
        reason: `${path} belongs to another user (uid 12345)`,
        command: `chown -h 0 ${path}`,
      });
      await chown(path, 0, 0);
    }
    await rename(file, join(home, 'real.yaml'));
    await symlink(join(home, 'real.yaml'), file);
    await lchown(file, 12_345, 12_345);
    expect(await refusal(user)).toMatchObject({ reason: `${file} belongs to another user (uid 12345)` });
  });
});

/** A user with this configuration, in a folder without a project. */
async function userWith(content: string) {
  const home = await temporaryFolder({ [`config/ambit/${name}`]: content, 'data/x': '' });
  const [configHome, dataHome] = [join(home, 'config'), join(home, 'data')];
  for (const path of [home, configHome, join(configHome, 'ambit')]) await chmod(path, 0o755);
  await chmod(join(configHome, 'ambit', name), 0o644);
  const user: ConfigSources = {
    flags: {},
    env: {},
    cwd: dataHome,
    home,
    dataHome,
    configHome,
    readPolicy: async () => undefined,
  };
  return { user, home, configHome, dataHome };
}

async function refusal(user: ConfigSources): Promise<UntrustedError['details']> {
  const error: unknown = await loadConfig(user).catch((thrown: unknown) => thrown);
  if (!(error instanceof UntrustedError)) throw new Error('it was not refused', { cause: error });
  return error.details;
}
