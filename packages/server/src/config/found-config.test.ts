// Threat model: T21, T22, T23, T24, T25

import { chmod, chown, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { sources } from '../testing/config-sources.ts';
import { loadConfig } from '../testing/load-config.ts';
import { trustConfig } from '../trust/config-trust.ts';
import { UntrustedError } from '../trust/untrusted-error.ts';
import type { ConfigSources } from './config.ts';

const name = 'ambit.config.yaml';

describe('a found configuration', () => {
  test('is refused until the user trusts it, with the command to run', async () => {
    const user = await userIn(await temporaryFolder({ [name]: 'logLevel: warn' }));
    const { cwd } = user;
    expect(await refusal(user)).toEqual({
      code: 'CONFIG_UNTRUSTED',
      message: `the configuration ${cwd}/${name} is not trusted, so Ambit does not use it: a configuration can run commands as you, and it decides what skills may do. A person decides whether to trust it`,
      details: {
        path: join(cwd, name),
        reason: 'a configuration can run commands as you, and it decides what skills may do',
        command: `ambit trust ${cwd}`,
      },
    });
    await trustIt(user);
    expect((await loadConfig(user)).logLevel).toBe('warn');
  });

  test('needs trust again after a change, and is accepted again with its old content', async () => {
    const user = await userIn(await temporaryFolder({ [name]: 'logLevel: warn' }));
    const { trustedAt } = await trustIt(user);
    await writeFile(join(user.cwd, name), 'logLevel: warn ');
    expect((await refusal(user)).details.reason).toBe(`it changed after you trusted it at ${trustedAt}`);
    await writeFile(join(user.cwd, name), 'logLevel: warn');
    expect((await loadConfig(user)).logLevel).toBe('warn');
  });

  test('is trusted only in its folder: not as a copy, through a link from elsewhere, or after a move', async () => {
    const above = await temporaryFolder({
      [`mine/${name}`]: 'logLevel: warn',
      [`copy/${name}`]: 'logLevel: warn',
    });
    const user = await userIn(join(above, 'mine'));
    await trustIt(user);
    await mkdir(join(above, 'link'));
    await symlink(join(above, 'mine', name), join(above, 'link', name));
    expect(await refusal({ ...user, cwd: join(above, 'copy') })).toMatchObject({ code: 'CONFIG_UNTRUSTED' });
    expect(await refusal({ ...user, cwd: join(above, 'link') })).toMatchObject({ code: 'CONFIG_UNTRUSTED' });
    expect((await loadConfig(user)).logLevel).toBe('warn');
    await rename(join(above, 'mine'), join(above, 'moved'));
    expect(await refusal({ ...user, cwd: join(above, 'moved') })).toMatchObject({ code: 'CONFIG_UNTRUSTED' });
  });

  test('is trusted by its target if it is a link', async () => {
    const cwd = await temporaryFolder({ 'one.yaml': 'logLevel: warn', 'other.yaml': 'logLevel: error' });
    await symlink('one.yaml', join(cwd, name));
    const user = await userIn(cwd);
    await trustIt(user);
    expect((await loadConfig(user)).logLevel).toBe('warn');
    await rm(join(cwd, name));
    await symlink('other.yaml', join(cwd, name));
    expect((await refusal(user)).details.reason).toMatch(/^it changed after you trusted it at/);
  });

  test('is the nearest one, in the folder or above it, up to the home folder', async () => {
    const home = await temporaryFolder({
      [name]: 'logLevel: error',
      [`shop/${name}`]: 'logLevel: warn',
      'shop/src/deep/x': '',
      'notes/x': '',
    });
    const user = { ...(await userIn(join(home, 'shop/src/deep'))), home };
    await trustIt({ ...user, cwd: join(home, 'shop') });
    await trustIt({ ...user, cwd: home });
    expect(await loadConfig(user)).toMatchObject({
      file: join(home, 'shop', name),
      dataDir: join(home, 'shop/.ambit'),
    });
    expect((await loadConfig({ ...user, cwd: join(home, 'notes') })).file).toBe(join(home, name));
    const below = { ...user, cwd: join(home, 'notes'), home: join(home, 'notes') };
    expect((await loadConfig(below)).file).toBeUndefined();
  });

  test('is refused or read with its trusted content while it is being exchanged', async () => {
    const user = await userIn(await temporaryFolder({ [name]: 'logLevel: warn' }));
    await trustIt(user);
    const [path, draft] = [join(user.cwd, name), join(user.cwd, 'draft')];
    let isOver = false;
    const exchanging = (async () => {
      for (let round = 0; !isOver; round += 1) {
        await writeFile(draft, round % 2 === 0 ? 'logLevel: fatal' : 'logLevel: warn');
        await rename(draft, path);
      }
    })();
    const found = new Set<string>();
    for (let round = 0; round < 300 || found.size < 2; round += 1)
      found.add(
        await loadConfig(user).then(
          ({ logLevel }) => logLevel,
          (error: UntrustedError) => error.code,
        ),
      );
    isOver = true;
    await exchanging;
    expect([...found].toSorted()).toEqual(['CONFIG_UNTRUSTED', 'warn']);
  });

  test('is not read if it is too large', async () => {
    const user = await userIn(await temporaryFolder({ [name]: `#${' '.repeat(1024 * 1024)}` }));
    await expect(loadConfig(user)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(
        'it is larger than 1048576 bytes; to use it anyway, name it with --config',
      ),
    });
  });
});

describe.runIf(process.getuid?.() === 0)('a file of another user in a folder like /tmp (needs root)', () => {
  test('of another user is refused in its folder and does not block commands in the folders below', async () => {
    const shared = await temporaryFolder({ [name]: 'logLevel: warn', 'mine/x': '' });
    await chmod(shared, 0o1777);
    await chown(join(shared, name), 12_345, 12_345);
    const user = await userIn(shared);
    const below = { ...user, cwd: join(shared, 'mine') };
    expect(await refusal(user)).toMatchObject({ code: 'CONFIG_UNTRUSTED' });
    expect((await loadConfig(below)).file).toBeUndefined();
    await trustIt(user);
    expect((await loadConfig(below)).file).toBe(join(shared, name));
    await writeFile(join(shared, name), 'logLevel: error');
    expect((await refusal(below)).details.reason).toMatch(/^it changed after you trusted it at/);
  });

  test('of another user is also refused below a folder that only its owner can write', async () => {
    const shared = await temporaryFolder({ [name]: 'logLevel: warn', 'mine/x': '' });
    await chmod(shared, 0o755);
    await chown(join(shared, name), 12_345, 12_345);
    expect(await refusal(await userIn(join(shared, 'mine')))).toMatchObject({ code: 'CONFIG_UNTRUSTED' });
  });
});

describe('the trust store', () => {
  test('is ignored if other users can read or write it or one of its records', async () => {
    const user = await userIn(await temporaryFolder({ [name]: 'logLevel: warn' }));
    const { store, record } = await trustIt(user);
    await chmod(store, 0o755);
    expect((await refusal(user)).details.reason).toBe(
      `other users can read or write the trust store ${store}: check what is in it, then run "chmod -R go= ${store}"`,
    );
    await chmod(store, 0o700);
    await chmod(record, 0o644);
    expect(await refusal(user)).toMatchObject({ code: 'CONFIG_UNTRUSTED' });
    await chmod(record, 0o600);
    expect((await loadConfig(user)).logLevel).toBe('warn');
  });

  test.runIf(process.getuid?.() === 0)('is ignored if another user owns it (needs root)', async () => {
    const user = await userIn(await temporaryFolder({ [name]: 'logLevel: warn' }));
    const { store, record } = await trustIt(user);
    await chown(record, 12_345, 12_345);
    expect(await refusal(user)).toMatchObject({ code: 'CONFIG_UNTRUSTED' });
    await chown(record, 0, 0);
    await chown(store, 12_345, 12_345);
    expect((await refusal(user)).details.reason).toBe(
      `the trust store ${store} belongs to another user: remove it`,
    );
  });

  test('is ignored for a folder that contains it, because a repository could include it', async () => {
    const cwd = await temporaryFolder({ [name]: 'logLevel: warn' });
    const user = { ...(await userIn(cwd)), dataHome: join(cwd, '.local/share') };
    await expect(trustIt(user)).rejects.toThrow(
      /is inside the folder that it would vouch for: set XDG_DATA_HOME/,
    );
    // The author of the repository could have created the records elsewhere.
    const planted = await userIn(cwd);
    await trustIt(planted);
    await rm(user.dataHome, { recursive: true, force: true });
    await mkdir(join(user.dataHome, 'ambit'), { recursive: true });
    await rename(join(planted.dataHome, 'ambit/trusted'), join(user.dataHome, 'ambit/trusted'));
    expect((await refusal(user)).details.reason).toMatch(/is inside the folder that it would vouch for/);
  });

  test('is empty if the user has no data folder', async () => {
    const user = { ...(await userIn(await temporaryFolder({ [name]: '' }))), dataHome: undefined };
    expect(await refusal(user)).toMatchObject({ code: 'CONFIG_UNTRUSTED' });
    await expect(trustIt(user)).rejects.toThrow('there is no folder for the trust store: set XDG_DATA_HOME');
  });
});

interface User extends ConfigSources {
  dataHome: string;
}

/** A user in a folder who trusts nothing yet. */
async function userIn(cwd: string): Promise<User> {
  return { ...sources(cwd), dataHome: await temporaryFolder() };
}

/** Trusts the current content of the configuration in the user's folder. */
async function trustIt({
  cwd,
  dataHome,
}: ConfigSources): Promise<{ trustedAt: string; store: string; record: string }> {
  const [path, trustedAt] = [join(cwd, name), new Date().toISOString()];
  await trustConfig(dataHome, path, await readFile(path), Date.parse(trustedAt));
  const store = join(dataHome ?? '', 'ambit/trusted');
  const [record = ''] = await readdir(store);
  return { trustedAt, store, record: join(store, record) };
}

async function refusal(user: ConfigSources): Promise<Pick<UntrustedError, 'code' | 'message' | 'details'>> {
  const error: unknown = await loadConfig(user).catch((thrown: unknown) => thrown);
  if (!(error instanceof UntrustedError)) throw new Error('it was not refused', { cause: error });
  const { code, message, details } = error;
  return { code, message, details };
}
