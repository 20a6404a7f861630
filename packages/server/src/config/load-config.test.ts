import { execFileSync } from 'node:child_process';
import { rm, symlink } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Capabilities, noCapabilities } from '@ambit/core';
import { describe, expect, test } from 'vitest';
import { bundledSkills } from './bundled-skills.ts';
import type { ConfigSources } from './config.ts';
import { ConfigError } from './config-error.ts';
import { configWithOrigins, loadConfig } from './load-config.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';
import { workspaceDefaults } from './workspace-keys.ts';

const home = '/home/ada';
const bundled = { path: bundledSkills, tier: 'local' } as const;
/** Where skills are looked for that nobody configured. */
const found = (...folders: string[]) =>
  folders.flatMap((folder) =>
    ['.agents/skills', '.claude/skills'].map((place) => ({
      path: join(folder, place),
      tier: 'untrusted',
      discovered: true,
    })),
  );

function sources(cwd: string, { flags = {}, env = {} }: Partial<ConfigSources> = {}): ConfigSources {
  return { flags, env, cwd, home };
}

async function issuesOf(given: ConfigSources): Promise<readonly string[]> {
  const error: unknown = await loadConfig(given).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) throw new Error('the configuration was accepted', { cause: error });
  expect(error.code).toBe('CONFIG_INVALID');
  expect(error.message).toBe(['the configuration cannot be used:', ...error.details.issues].join('\n  '));
  return error.details.issues;
}

async function fileIssues(content: string): Promise<string[]> {
  return fileIssuesIn(await temporaryFolder({ 'ambit.config.yaml': content }));
}

/** The issues of the file in `cwd`, without its name, with which each begins. */
async function fileIssuesIn(cwd: string): Promise<string[]> {
  const prefix = `${join(cwd, 'ambit.config.yaml')}: `;
  return (await issuesOf(sources(cwd))).map((issue) => issue.replace(prefix, ''));
}

test('without a file, variables and flags the defaults hold', async () => {
  const cwd = await temporaryFolder();
  expect(await loadConfig(sources(cwd))).toEqual({
    file: undefined,
    listen: { host: '127.0.0.1', port: 7433, allowRemote: false, names: [], tls: null },
    dataDir: join(cwd, '.ambit'),
    skills: [bundled, ...found(cwd, home)],
    grants: {},
    mcpServers: {},
    phases: {},
    agents: {},
    contextRoots: [],
    deny: noCapabilities,
    limits: {},
    secrets: {},
    imports: { network: [], timeoutMs: 5000 },
    queue: { concurrency: 16, concurrencyPerSkill: 8, queue: 256 },
    wasmHosts: availableParallelism(),
    prewarm: 8,
    workspaces: workspaceDefaults,
    audit: {
      payloads: 'preview',
      skills: {},
      previewCharacters: 1000,
      fullBytes: 1_048_576,
      retentionDays: null,
      retentionBytes: null,
      prune: 'payloads',
      checkpoints: null,
    },
    idempotency: { keepHours: 24 },
    logLevel: 'info',
    telemetry: { otlpEndpoint: null },
    bodyLimitBytes: 8_388_608,
    shutdown: { drainMs: 10_000 },
    watchConfig: false,
  });
});

test('a file says what it says; what is relative in it starts at its own folder, and ~ is the home directory', async () => {
  const folder = await temporaryFolder({
    'etc/ambit.yaml': `
listen: { host: ::1, port: 0 }
dataDir: data
skills:
  - { path: skills, tier: verified }
  - { path: ~/.agents/skills, tier: untrusted }
grants:
  git-summary: { filesystem: { read: [/srv/repos, ~/src] } }
  scratch: { filesystem: { write: [workspace] }, state: write, mcpServers: { notes: { command: notes } } }
phases:
  Plan: { tools: [Read, Write], required: [Write], skills: [writer] }
  ship: {}
agents: { developer: { skills: [writer, tester] } }
contextRoots: [~/src, work]
deny: { network: ["*.internal"], filesystem: { read: [~/.ssh] } }
secrets:
  GITHUB_TOKEN: { env: GITHUB_TOKEN }
  NPM_TOKEN: { file: /etc/ambit/npm-token }
  MAIL: { command: [pass, show, mail] }
imports: { network: ["example.org", { host: example.com, paths: [/skills/**] }], timeoutMs: 900 }
limits: { timeoutMs: 5000, concurrency: 4, queue: 0, wasmHosts: 3, prewarm: 0 }
audit: { payloads: digest, skills: { scratch: { payloads: full } }, retentionDays: 0.5, retentionBytes: 1073741824, prune: events, checkpoints: { file: ~/witness.jsonl } }
logLevel: warn
telemetry: { otlpEndpoint: 'http://127.0.0.1:4318' }
bodyLimitBytes: 65536
shutdown: { drainMs: 0 }
watchConfig: true
`,
  });
  expect(await loadConfig(sources(folder, { flags: { config: 'etc/ambit.yaml' } }))).toEqual({
    file: join(folder, 'etc/ambit.yaml'),
    listen: { host: '::1', port: 0, allowRemote: false, names: [], tls: null },
    dataDir: join(folder, 'etc/data'),
    skills: [
      { path: join(folder, 'etc/skills'), tier: 'verified' },
      { path: '/home/ada/.agents/skills', tier: 'untrusted' },
      bundled,
      ...found(join(folder, 'etc')),
      { path: '/home/ada/.claude/skills', tier: 'untrusted', discovered: true },
    ],
    grants: {
      'git-summary': Capabilities.parse({ filesystem: { read: ['/srv/repos', '/home/ada/src'] } }),
      scratch: Capabilities.parse({ filesystem: { write: ['workspace'] }, state: 'write' }),
    },
    mcpServers: { scratch: { notes: { command: 'notes' } } },
    phases: {
      Plan: { tools: ['Read', 'Write'], required: ['Write'], skills: ['writer'] },
      ship: { tools: [], required: [], skills: [] },
    },
    agents: { developer: { skills: ['writer', 'tester'] } },
    contextRoots: ['/home/ada/src', join(folder, 'etc/work')],
    deny: Capabilities.parse({ network: ['*.internal'], filesystem: { read: ['/home/ada/.ssh'] } }),
    limits: { timeoutMs: 5000 },
    secrets: {
      GITHUB_TOKEN: { env: 'GITHUB_TOKEN' },
      NPM_TOKEN: { file: '/etc/ambit/npm-token' },
      MAIL: { command: ['pass', 'show', 'mail'] },
    },
    imports: { network: ['example.org', { host: 'example.com', paths: ['/skills/**'] }], timeoutMs: 900 },
    queue: { concurrency: 4, concurrencyPerSkill: 8, queue: 0 },
    wasmHosts: 3,
    prewarm: 0,
    workspaces: workspaceDefaults,
    audit: {
      payloads: 'digest',
      skills: { scratch: { payloads: 'full' } },
      previewCharacters: 1000,
      fullBytes: 1_048_576,
      retentionDays: 0.5,
      retentionBytes: 1_073_741_824,
      prune: 'events',
      checkpoints: { file: '/home/ada/witness.jsonl' },
    },
    idempotency: { keepHours: 24 },
    logLevel: 'warn',
    telemetry: { otlpEndpoint: 'http://127.0.0.1:4318' },
    bodyLimitBytes: 65_536,
    shutdown: { drainMs: 0 },
    watchConfig: true,
  });
});

test('the data directory that nobody names lies beside the file', async () => {
  const folder = await temporaryFolder({ 'etc/ambit.yaml': '' });
  const { dataDir } = await loadConfig(sources(folder, { env: { AMBIT_CONFIG: 'etc/ambit.yaml' } }));
  expect(dataDir).toBe(join(folder, 'etc/.ambit'));
});

test('variables go over the file, flags over variables, and each value tells where it is from', async () => {
  const cwd = await temporaryFolder({
    'ambit.config.yaml': `
listen: { host: 127.0.0.2, port: 1 }
dataDir: one
logLevel: warn
bundledSkills: false
discoveredSkills: false
skills: [{ path: mine, tier: local }]
grants: { a: { env: [TZ], mcpServers: { notes: { command: notes } } } }
phases: { plan: { tools: [Read] } }
agents: { developer: { skills: [a] } }
limits: { timeoutMs: 1000 }
`,
  });
  const given = sources(cwd, {
    env: { AMBIT_PORT: '2', AMBIT_DATA_DIR: 'two', AMBIT_LOG_LEVEL: '' },
    flags: { dataDir: '~/three', allowRemote: true },
  });
  const file = `file:${join(cwd, 'ambit.config.yaml')}`;
  expect(await configWithOrigins(given)).toEqual([
    { key: 'listen.host', value: '127.0.0.2', origin: file },
    { key: 'listen.port', value: 2, origin: 'env:AMBIT_PORT' },
    { key: 'listen.allowRemote', value: true, origin: 'flag:--allow-remote' },
    { key: 'listen.names', value: [], origin: 'default' },
    { key: 'listen.tls', value: null, origin: 'default' },
    { key: 'dataDir', value: '/home/ada/three', origin: 'flag:--data-dir' },
    { key: 'skills.0', value: { path: join(cwd, 'mine'), tier: 'local' }, origin: file },
    { key: 'grants.a', value: Capabilities.parse({ env: ['TZ'] }), origin: file },
    { key: 'grants.a.mcpServers', value: { notes: { command: 'notes' } }, origin: file },
    { key: 'deny', value: noCapabilities, origin: 'default' },
    { key: 'phases.plan', value: { tools: ['Read'], required: [], skills: [] }, origin: file },
    { key: 'agents.developer', value: { skills: ['a'] }, origin: file },
    { key: 'contextRoots', value: [], origin: 'default' },
    { key: 'imports.network', value: [], origin: 'default' },
    { key: 'imports.timeoutMs', value: 5000, origin: 'default' },
    { key: 'limits.timeoutMs', value: 1000, origin: file },
    { key: 'limits.concurrency', value: 16, origin: 'default' },
    { key: 'limits.concurrencyPerSkill', value: 8, origin: 'default' },
    { key: 'limits.queue', value: 256, origin: 'default' },
    { key: 'limits.wasmHosts', value: availableParallelism(), origin: 'default' },
    { key: 'limits.prewarm', value: 8, origin: 'default' },
    { key: 'audit.payloads', value: 'preview', origin: 'default' },
    { key: 'audit.skills', value: {}, origin: 'default' },
    { key: 'audit.previewCharacters', value: 1000, origin: 'default' },
    { key: 'audit.fullBytes', value: 1_048_576, origin: 'default' },
    { key: 'audit.retentionDays', value: null, origin: 'default' },
    { key: 'audit.retentionBytes', value: null, origin: 'default' },
    { key: 'audit.prune', value: 'payloads', origin: 'default' },
    { key: 'audit.checkpoints', value: null, origin: 'default' },
    { key: 'idempotency.keepHours', value: 24, origin: 'default' },
    { key: 'workspaces.most', value: 32, origin: 'default' },
    { key: 'workspaces.quotaBytes', value: 8388608, origin: 'default' },
    { key: 'workspaces.quotaBytesMost', value: 16777216, origin: 'default' },
    { key: 'workspaces.expiresAfterSeconds', value: 86400, origin: 'default' },
    { key: 'workspaces.expiresAfterSecondsMost', value: 2592000, origin: 'default' },
    { key: 'logLevel', value: 'warn', origin: file },
    { key: 'telemetry.otlpEndpoint', value: null, origin: 'default' },
    { key: 'bodyLimitBytes', value: 8_388_608, origin: 'default' },
    { key: 'shutdown.drainMs', value: 10_000, origin: 'default' },
    { key: 'watchConfig', value: false, origin: 'default' },
  ]);
});

test('a place that people keep skills in has the tier that the operator gives it, where one does', async () => {
  const cwd = await temporaryFolder({
    'ambit.config.yaml': 'skills: [{ path: .agents/skills, tier: local }]',
  });
  expect((await loadConfig(sources(cwd))).skills).toEqual([
    { path: join(cwd, '.agents/skills'), tier: 'local' },
    bundled,
    ...found(cwd, home).slice(1),
  ]);
});

test('the bundled skills are not listed twice when the operator names their folder', async () => {
  const skills = [{ path: bundledSkills, tier: 'verified' }];
  const cwd = await temporaryFolder({ 'ambit.config.yaml': JSON.stringify({ skills }) });
  expect((await loadConfig(sources(cwd))).skills).toEqual([...skills, ...found(cwd, home)]);
});

describe('a file is refused', () => {
  test.each([
    [
      'for an unknown key, with its nearest neighbour',
      'lisen: { port: 1 }',
      ['unknown key "lisen" at the top; did you mean listen?'],
    ],
    [
      'for an unknown key further in',
      'listen: { ports: 1 }',
      ['unknown key "ports" in listen; did you mean port?'],
    ],
    [
      'for an unknown key of a grant',
      'grants: { a: { netwrok: [] } }',
      ['unknown key "netwrok" in grants.a; did you mean network?'],
    ],
    ['for a port that is none', 'listen: { port: 65536 }', ['listen.port: write a port, 0 to 65535']],
    [
      'for a host with a port',
      'listen: { host: "localhost:80" }',
      ['listen.host: write a host name or an address, without a port: 127.0.0.1'],
    ],
    ['for an empty path', 'dataDir: ""', ['dataDir: write a path']],
    [
      'for a phase that is there twice, as phases are compared without case',
      'phases: { plan: {}, ship: {}, PLAN: {} }',
      ['phases.PLAN: phases are compared without case, so this is plan once more; write one of them'],
    ],
    [
      'for an unknown key of a phase',
      'phases: { plan: { tool: [Read] } }',
      ['unknown key "tool" in phases.plan; did you mean tools?'],
    ],
    [
      'for an MCP server that is only named, since what it starts would be for the skill to say',
      'grants: { a: { mcpServers: [notes] } }',
      ['grants.a.mcpServers: Invalid input: expected record, received array'],
    ],
    [
      'for a tier that is none',
      'skills: [{ path: a, tier: lokal }]',
      ['skills.0.tier: Invalid option: expected one of "local"|"verified"|"untrusted"'],
    ],
    [
      'for a relative path in a grant',
      'grants: { a: { filesystem: { read: [srv] } } }',
      ['grants.a.filesystem.read.0: write an absolute path'],
    ],
    [
      'for "granted" in a grant',
      'grants: { a: { filesystem: { write: [granted] } } }',
      [
        'grants.a.filesystem.write.0: name the paths: "granted" is what a skill writes for those that stand here, so here it would stand for nothing',
      ],
    ],
    [
      'for "granted" in a deny rule',
      'deny: { filesystem: { read: [granted] } }',
      [
        'deny.filesystem.read.0: name the paths: "granted" is what a skill writes for those that stand here, so here it would stand for nothing',
      ],
    ],
    [
      'for "granted" in a grant of the network',
      'grants: { a: { network: [granted, { host: granted }] } }',
      [0, 1].map(
        (index) =>
          `grants.a.network.${index}: name the hosts: "granted" is what a skill writes for those that stand here, so here it would stand for nothing`,
      ),
    ],
    ['when it is not a mapping', '- a', ['the document: Invalid input: expected object, received array']],
    [
      'when it is not YAML',
      'a: [',
      [
        'not YAML: Flow sequence in block collection must be sufficiently indented and end with a ] at line 1, column 5',
      ],
    ],
  ])('%s', async (_, content, issues) => {
    expect(await fileIssues(content)).toEqual(issues);
  });

  test.each(['dangerouslyRunUnsandboxed'])(
    'for %s, which comes later, so that nobody believes that it works',
    async (key) => {
      expect(await fileIssues(`${key}: {}`)).toEqual([
        `${key}: this version of Ambit does not have it yet, so it would do nothing; take it out`,
      ]);
    },
  );

  test('for limits that bound nothing', async () => {
    expect(await fileIssues('limits: { concurrency: 0, queue: -1, timeoutMs: -1 }')).toEqual([
      'limits.timeoutMs: Too small: expected number to be >0',
      'limits.concurrency: Too small: expected number to be >0',
      'limits.queue: Too small: expected number to be >=0',
    ]);
  });

  test('for an audit log that would keep nothing of anything', async () => {
    const audit =
      '{ payload: full, previewCharacters: 0, fullBytes: 1.5, retentionDays: 0, retentionBytes: 1000 }';
    expect(await fileIssues(`audit: ${audit}`)).toEqual([
      'audit.previewCharacters: write a number above 0, or payloads: digest to keep nothing',
      'audit.fullBytes: write a number of bytes',
      'audit.retentionDays: write a number of days above 0; without this key nothing is removed for its age',
      'audit.retentionBytes: write at least 1048576: an empty log needs some of it',
      'unknown key "payload" in audit; did you mean payloads?',
    ]);
  });

  test('when somebody named it and it is not there', async () => {
    const cwd = await temporaryFolder();
    const path = join(cwd, 'x.yaml');
    expect(await issuesOf(sources(cwd, { flags: { config: 'x.yaml' } }))).toEqual([
      `--config: there is no file ${path}`,
    ]);
    expect(await issuesOf(sources(cwd, { env: { AMBIT_CONFIG: path } }))).toEqual([
      `AMBIT_CONFIG: there is no file ${path}`,
    ]);
  });

  test('when somebody named nothing, as with a variable that is not set; a variable that is empty names none', async () => {
    const cwd = await temporaryFolder({ 'ambit.config.yaml': 'watchConfig: true' });
    expect(await issuesOf(sources(cwd, { flags: { config: '' } }))).toEqual(['--config: write a path']);
    expect(await loadConfig(sources(cwd, { env: { AMBIT_CONFIG: '' } }))).toMatchObject({
      watchConfig: true,
    });
  });

  test('when it is a folder', async () => {
    const cwd = await temporaryFolder({ 'ambit.config.yaml/x': '' });
    expect(await fileIssuesIn(cwd)).toEqual([
      'cannot be read: EISDIR: illegal operation on a directory, read',
    ]);
  });

  test('when it is a pipe, into which nobody may ever write; a link to a file is none', async () => {
    const cwd = await temporaryFolder({ 'a.yaml': 'logLevel: warn' });
    const path = join(cwd, 'ambit.config.yaml');
    execFileSync('mkfifo', [path]);
    expect(await fileIssuesIn(cwd)).toEqual([
      'cannot be read: it is a pipe, which can be read only once; name a file',
    ]);
    await rm(path);
    await symlink('a.yaml', path);
    expect((await loadConfig(sources(cwd))).logLevel).toBe('warn');
  });
});

test('the mistakes of every layer are reported at once', async () => {
  const cwd = await temporaryFolder({ 'ambit.config.yaml': 'lisen: {}\nlogLevel: loud\n' });
  const file = join(cwd, 'ambit.config.yaml');
  const given = sources(cwd, { env: { AMBIT_PORT: 'http' }, flags: { port: '99999', host: 'a b' } });
  expect(await issuesOf(given)).toEqual([
    `${file}: logLevel: Invalid option: expected one of "fatal"|"error"|"warn"|"info"|"debug"|"trace"|"silent"`,
    `${file}: unknown key "lisen" at the top; did you mean listen?`,
    'AMBIT_PORT: write a port, 0 to 65535',
    '--host: write a host name or an address, without a port: 127.0.0.1',
    '--port: write a port, 0 to 65535',
  ]);
});

describe('listening', () => {
  test.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('on %s needs no permission', async (host) => {
    const config = await loadConfig(sources(await temporaryFolder(), { flags: { host } }));
    expect(config.listen).toEqual({ host, port: 7433, allowRemote: false, names: [], tls: null });
  });

  test.each(['0.0.0.0', '::', '192.168.1.5', 'example.org'])(
    'on %s is refused unless it is said out loud',
    async (host) => {
      const cwd = await temporaryFolder();
      expect(await issuesOf(sources(cwd, { env: { AMBIT_HOST: host } }))).toEqual([
        `listen.host (env:AMBIT_HOST): ${host} can be reached from other machines, over plain HTTP: whoever sees the traffic has the key, and with it every skill that may run here. Give it a certificate: listen.tls: { cert, key }; or listen on 127.0.0.1 behind a proxy that speaks TLS; or say that you mean it: listen.allowRemote: true, or --allow-remote`,
      ]);
      const allowed = await loadConfig(
        sources(cwd, { env: { AMBIT_HOST: host }, flags: { allowRemote: true } }),
      );
      expect(allowed.listen).toEqual({ host, port: 7433, allowRemote: true, names: [], tls: null });
    },
  );

  test('beyond loopback can be allowed in the file', async () => {
    const cwd = await temporaryFolder({
      'ambit.config.yaml': 'listen: { host: 0.0.0.0, allowRemote: true }',
    });
    expect((await loadConfig(sources(cwd))).listen).toEqual({
      host: '0.0.0.0',
      port: 7433,
      allowRemote: true,
      names: [],
      tls: null,
    });
  });

  test('beyond loopback needs no permission with a certificate, whose files start at the folder of the file', async () => {
    const cwd = await temporaryFolder({
      'ambit.config.yaml': 'listen: { host: 0.0.0.0, tls: { cert: a.pem, key: ~/b.pem } }',
    });
    const given = sources(cwd);
    expect((await loadConfig(given)).listen).toEqual({
      ...{ host: '0.0.0.0', port: 7433, allowRemote: false, names: [] },
      tls: { cert: join(cwd, 'a.pem'), key: join(given.home, 'b.pem') },
    });
  });
});
