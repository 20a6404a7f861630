// Threat model: T363, T366, T367

import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { noCapabilities } from '../../../packages/core/src/policy.ts';
import { withKey } from '../../../packages/server/src/testing/daemon-keys.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit, repository } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const isRoot = process.getuid?.() === 0;
/** The user of the skills: no skill runs as root. */
const host = { host: true, ...(isRoot ? { user: 'nobody' } : {}) };

const script = `#!/bin/sh
echo "$(id -u) $(cat "$1" 2>&1) $(env | grep -c -e AMBIT -e THE_TOKEN)"
`;
const look = `
import socket, urllib.request, urllib.error
def got(action):
  try: return action()
  except urllib.error.HTTPError as error: return error.code
  except OSError as error: return error.strerror
print(json.dumps([
  [got(lambda: open(path).read()) for path in given['paths']],
  [got(lambda: open(path, 'a').close()) for path in given.get('writes', [])],
  got(lambda: urllib.request.urlopen(given['url'] + '/skills').status),
]))`;

describe('a grant of host', () => {
  let folder = '';
  const shared = sharedDaemon(
    async (path) => {
      folder = dirname(path);
      // Root's temporary folders are closed to the user of the skills.
      for (const each of [folder, path]) await chmod(each, 0o755);
      for (const file of ['readable.txt', 'token'])
        await writeFile(join(folder, file), 'a file of the user', { mode: file === 'token' ? 0o600 : 0o644 });
      for (const file of ['publisher.pem', 'writable.txt']) {
        await writeFile(join(folder, file), '');
        await chmod(join(folder, file), 0o666);
      }
      const declared = pythonSkill(look, { capabilities: { exec: ['python3'], host: true } });
      const wasm = JSON.stringify({
        run: { runtime: 'wasm', entry: 'index.js', capabilities: { host: true } },
      });
      await writeSkills(join(path, 'local'), {
        plain: { 'scripts/run.sh': script },
        looks: declared,
        ungranted: declared,
        module: { 'ambit.yaml': wasm, 'index.js': 'export default () => 1;' },
      });
      // In a folder within the configured one, it is found only by the catalog.
      await writeSkills(join(path, 'verified/group'), { other: declared });
      return {
        skills: ['local', 'verified'].map((tier) => ({ path: join(path, tier), tier })),
        publishers: [
          { name: 'acme', match: 'https://acme.example/*', ed25519: join(folder, 'publisher.pem') },
        ],
        secrets: { TOKEN: { env: 'THE_TOKEN' }, FILE: { file: join(folder, 'token') } },
        grants: { plain: host, looks: host, module: host, other: host },
      };
    },
    { env: { THE_TOKEN: 'a-secret-of-the-operator' } },
  );

  test('runs a script as the user, and its record names that user', async () => {
    const { body } = await shared().execute('plain', { args: [join(folder, 'readable.txt')] });
    const uid = isRoot ? 65_534 : process.getuid?.();
    expect(body.outcome).toEqual({
      status: 'succeeded',
      output: { exitCode: 0, stdout: `${uid} a file of the user 0\n`, stderr: '' },
    });
    const [record] = await shared().audit('?limit=1');
    const asked = {
      ...noCapabilities,
      exec: ['sh', '@posix'],
      filesystem: { read: [], write: ['workspace'] },
    };
    expect(record.capabilities).toEqual({
      requested: { ...asked, host: true },
      added: { ...noCapabilities, host: true },
      granted: { ...asked, host: true },
      denied: [],
    });
    expect(record.sandbox).toMatch(/^bubblewrap, with the rights of /);
    expect([record.used.network, record.used.filesystem]).toEqual([null, { read: null, write: null }]);
  });

  test('hides the key, the configuration and secrets, changes no key of a publisher, and has none for the daemon', async () => {
    const { dataDir, url } = shared();
    const hidden = [join(dataDir, 'key'), join(dataDir, 'audit.db'), join(folder, 'ambit.config.yaml')];
    const paths = [...hidden, join(folder, 'token'), join(folder, 'readable.txt')];
    const writes = [join(folder, 'publisher.pem'), join(folder, 'writable.txt')];
    const { body } = await shared().execute('looks', { input: { paths, writes, url } });
    const denied = [...hidden, 'token'].map(() => 'Permission denied');
    expect(body.outcome).toEqual({
      status: 'succeeded',
      output: [[...denied, 'a file of the user'], ['Read-only file system', null], 401],
    });
  });

  /** The status of a call, its denials, and those in its record. */
  async function refused(skill: string, body: object, key?: string): Promise<unknown[]> {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const answer = await shared().request('POST', `/skills/${skill}/execute`, { body, headers });
    const [record] = await shared().audit(`?limit=1&skill=${skill}`);
    expect(record.error?.code ?? null).toEqual(answer.body.code ?? null);
    expect(record.capabilities.denied).toEqual(answer.body.denials ?? []);
    return [answer.status, (answer.body.denials ?? []).map(({ reason }: { reason: string }) => reason)];
  }

  test('is for skills that are granted it, for tier local, for programs, and within the ceiling of a key', async () => {
    const input = { input: { paths: [], url: shared().url } };
    const ceiling = (capabilities: object) => ({
      scopes: ['skills:execute' as const],
      ceiling: { capabilities },
    });
    const { key: bounded } = await withKey(shared(), 'bounded', ceiling({ network: [] }));
    const { key: wide } = await withKey(shared(), 'wide', ceiling({ host: true }));
    expect(await refused('looks', input)).toEqual([200, []]);
    expect(await refused('looks', input, wide)).toEqual([200, []]);
    expect(await refused('looks', input, bounded)).toEqual([403, ['is excluded by the ceiling of the key']]);
    expect(await refused('ungranted', input)).toEqual([403, ['is not granted']]);
    expect(await refused('other', input)).toEqual([
      403,
      ['is only for tier local, and other has tier verified'],
    ]);
    expect(await refused('module', { input: {} })).toEqual([501, []]);
  });

  test('is lost in a call that limits its capabilities without naming it', async () => {
    const args = [join(folder, 'readable.txt')];
    const call = async (capabilities: object) =>
      (await shared().execute('plain', { args, capabilities })).body.outcome.output.stdout
        .split(' ')
        .slice(1, 3);
    expect([await call({}), await call({ host: false }), await call({ host: true })]).toEqual([
      ['cat:', `${args[0]}:`],
      ['cat:', `${args[0]}:`],
      ['a', 'file'],
    ]);
  });

  test('runs nothing once a secret was moved aside, until the configuration is read again', async () => {
    const [token, aside] = [join(folder, 'token'), join(folder, 'aside')];
    const call = async () => {
      const { body } = await shared().execute('plain', { args: [aside] });
      return body.code ?? body.outcome.status;
    };
    await rename(token, aside);
    await writeFile(token, 'a decoy', { mode: 0o600 });
    const moved = await call();
    const [record] = await shared().audit('?limit=1');
    await rename(aside, token);
    expect([moved, record.error.code, await call()]).toEqual([
      ...['SANDBOX_UNAVAILABLE', 'SANDBOX_UNAVAILABLE'],
      'succeeded',
    ]);
  });

  test('is in no proposal, and red in the report of doctor', async () => {
    await shared().execute('ungranted', { input: {} });
    const at = ['--config', join(folder, 'ambit.config.yaml')];
    const proposed = JSON.parse((await ambit(['skills', 'propose', 'ungranted', '--json', ...at])).stdout);
    expect([proposed.items, proposed.grant, proposed.excluded[0].remedy]).toEqual([
      ...[[], noCapabilities],
      'grant only what it needs; no proposal has host',
    ]);
    const report = JSON.parse((await ambit(['doctor', '--json', ...at])).stdout);
    const check = report.checks.find(({ name }: { name: string }) => name === 'full trust');
    const as = isRoot ? ' as nobody' : '';
    expect([check.status, check.found]).toEqual([
      'trusted',
      `plain${as}, looks${as}, module${as}, other${as}`,
    ]);
  });
});

test('a grant of host in a found file needs trust, and trusting it shows what the skill may do', async () => {
  const cwd = await temporaryFolder({
    'ambit.config.yaml': JSON.stringify({
      skills: [{ path: './skills', tier: 'local' }],
      grants: { a: host },
    }),
  });
  await mkdir(join(cwd, 'skills'));
  expect(await ambit(['run', 'a'], { cwd })).toMatchObject({
    stderr: expect.stringContaining('CONFIG_UNTRUSTED'),
  });
  const { stdout } = await ambit(['trust', '--json'], { cwd, isTyped: false });
  expect(stdout).toContain('Skills that may do everything that you may do');
  expect((await ambit(['run', 'a', '--config', 'ambit.config.yaml'], { cwd })).stderr).toContain(
    'SKILL_NOT_FOUND',
  );
});

describe('a single call with host', () => {
  /** Writes a skill that creates the file of its argument, and the configuration that grants it host. */
  async function making(grant: object, secrets: object = {}): Promise<string> {
    const folder = await temporaryFolder({
      'ambit.config.yaml': JSON.stringify({
        skills: [{ path: './skills', tier: 'local' }],
        discoveredSkills: false,
        grants: { makes: grant },
        secrets,
      }),
    });
    await chmod(folder, 0o755);
    await writeSkills(join(folder, 'skills'), { makes: { 'scripts/run.sh': '#!/bin/sh\n: > "$1"\n' } });
    await mkdir(join(folder, 'made'));
    await chmod(join(folder, 'made'), 0o777);
    return folder;
  }

  test.runIf(isRoot)('runs as the id of its user, and not as a user whose name is that id', async () => {
    const folder = await making(host);
    const named = `65534:x:1:1::/:/bin/sh\nlarge:x:${2 ** 32}:65534::/:/bin/sh\n`;
    const passwd = join(folder, 'passwd');
    await writeFile(passwd, `${await readFile('/etc/passwd', 'utf8')}${named}`);
    const call = (file: string) => {
      const program = [process.execPath, join(repository, 'packages/cli/src/ambit.mjs'), 'run', 'makes'];
      const at = ['--config', join(folder, 'ambit.config.yaml'), '--', file];
      const within = 'mount --bind "$0" /etc/passwd && exec "$@"';
      return spawnSync('unshare', [
        '--mount',
        'sh',
        '-c',
        within,
        passwd,
        ...program,
        ...at,
      ]).stderr.toString();
    };
    const made = join(folder, 'made/file');
    expect([call(made), (await stat(made)).uid]).toEqual(['', 65_534]);
    const large = { ...host, user: 'large' };
    await writeFile(
      join(folder, 'ambit.config.yaml'),
      JSON.stringify({ skills: [{ path: './skills', tier: 'local' }], grants: { makes: large } }),
    );
    expect(call(made)).toContain('grants.makes.user: this machine has no user "large" in /etc/passwd');
  });

  test('runs nothing if a secret is behind a link that the skill could replace', async () => {
    const folder = await making(host, { TOKEN: { file: './made/link' } });
    const [made, link] = [join(folder, 'made/file'), join(folder, 'made/link')];
    await writeFile(join(folder, 'token'), 'a-secret-of-the-operator');
    const call = async () =>
      (await ambit(['run', 'makes', '--config', 'ambit.config.yaml', '--', made], { cwd: folder })).stderr;
    await symlink(join(folder, 'token'), link);
    expect(await call()).toContain(`may replace the symlink ${link}`);
    await rename(join(folder, 'token'), link);
    // The daemon has pinned the file that the link led to.
    expect(await call()).toContain('run "ambit config reload"');
    await ambit(['config', 'reload', '--config', 'ambit.config.yaml'], { cwd: folder });
    expect(await call()).toBe('');
  });
});
