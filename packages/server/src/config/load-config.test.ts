import { join } from 'node:path';
import { Capabilities } from '@ambit/core/execute';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { home, issuesOf, named, sources } from '../testing/config-sources.ts';
import { loadConfig } from '../testing/load-config.ts';
import type { ConfigEntry, ConfigSources } from './config.ts';
import { defaultConfig } from './general-config.ts';
import { configLoader } from './load-config.ts';
import { bundledSkills } from './program-folder.ts';

const bundled = { path: bundledSkills, tier: 'local' } as const;
/** The roots of discovered skills in these folders. */
const found = (...folders: string[]) =>
  folders.flatMap((folder) =>
    ['.agents/skills', '.claude/skills'].map((place) => ({
      path: join(folder, place),
      tier: 'untrusted',
      discovered: true,
    })),
  );

/** Every value of the configuration that a command with these sources has. */
async function valuesOf(given: ConfigSources): Promise<readonly ConfigEntry[]> {
  const loader = configLoader();
  return loader.valuesOf(await loader.load(given)) ?? [];
}

test('uses the defaults without a file, variables and flags', async () => {
  const cwd = await temporaryFolder();
  expect(await loadConfig(sources(cwd))).toEqual({
    ...defaultConfig(),
    file: undefined,
    scope: { kind: 'user', searched: cwd },
    userFile: '/home/ada/config/ambit/ambit.config.yaml',
    dataDir: '/home/ada/data/ambit/data',
    dataDirTrust: { project: '/home/ada/data/ambit/data', dataHome: '/home/ada/data' },
    skills: [bundled, ...found(home)],
    lockFile: '/home/ada/data/ambit/data/ambit.lock',
    installed: {},
  });
});

test('reads every key of a file; relative paths start at its folder, and ~ is the home directory', async () => {
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
index: { paths: relative, maxLines: 31 }
deny: { network: ["*.internal"], filesystem: { read: [~/.ssh] } }
secrets:
  GITHUB_TOKEN: { env: GITHUB_TOKEN }
  NPM_TOKEN: { file: /etc/ambit/npm-token }
  MAIL: { command: [pass, show, mail] }
imports: { network: ["example.org", { host: example.com, paths: [/skills/**] }], timeoutMs: 900 }
installs:
  network: [github.com]
  updates: auto
  minAgeHours: 1
  whileWaiting: stop
  dependencies:
    python: { index: "https://a.example/simple/", hosts: [b.example] }
    node: { registry: "https://c.example/npm/" }
    provided: [lxml]
publishers: [{ name: acme, match: acme/*, ed25519: acme.pub, tier: local }]
tiers: { verified: { memoryBytes: 2GiB, timeoutMs: { default: 60s, max: 10m } } }
limits: { timeoutMs: 600000, memoryShareBytes: 2GiB, concurrency: 4, queue: 0, wasmHosts: 3, prewarm: 0, maxPrewarmSeconds: 60 }
console: false
mcp: { untrustedTools: true }
audit: { payloads: digest, skills: { scratch: { payloads: full } }, retentionDays: 0.5, retentionBytes: 1073741824, prune: events, checkpoints: { file: ~/witness.jsonl } }
store:
  postgres:
    url: postgres://ambit@db.example/ambit
    password: NPM_TOKEN
    tls: { ca: db-ca.pem }
    poolSize: 4
cluster: { advertise: '[::1]:7434' }
logLevel: warn
telemetry: { otlpEndpoint: 'http://127.0.0.1:4318' }
bodyLimitBytes: 65536
shutdown: { drainMs: 0, idleMs: 60000 }
watchConfig: true
`,
  });
  expect(await loadConfig(sources(folder, { flags: { config: 'etc/ambit.yaml' } }))).toEqual({
    ...defaultConfig(),
    file: join(folder, 'etc/ambit.yaml'),
    scope: { kind: 'named', by: '--config' },
    userFile: '/home/ada/config/ambit/ambit.config.yaml',
    listen: { host: '::1', port: 0, allowRemote: false, names: [], tls: null },
    dataDir: join(folder, 'etc/data'),
    dataDirTrust: { project: null, dataHome: '/home/ada/data' },
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
    index: { paths: 'relative', maxLines: 31 },
    hostUsers: {},
    deny: Capabilities.parse({ network: ['*.internal'], filesystem: { read: ['/home/ada/.ssh'] } }),
    limits: { timeoutMs: 600_000 },
    tiers: { verified: { memoryBytes: 2_147_483_648, timeoutMs: { default: 60_000, max: 600_000 } } },
    secrets: {
      GITHUB_TOKEN: { env: 'GITHUB_TOKEN' },
      NPM_TOKEN: { file: '/etc/ambit/npm-token' },
      MAIL: { command: ['pass', 'show', 'mail'] },
    },
    imports: { network: ['example.org', { host: 'example.com', paths: ['/skills/**'] }], timeoutMs: 900 },
    installs: {
      network: ['github.com'],
      updates: 'auto',
      minAgeHours: 1,
      whileWaiting: 'stop',
      dependencies: {
        python: { url: 'https://a.example/simple', network: ['https://a.example', 'b.example'] },
        node: { url: 'https://c.example/npm', network: ['https://c.example'] },
        allowBuild: [],
        provided: ['lxml'],
      },
    },
    publishers: [{ name: 'acme', match: ['acme/*'], ed25519: [join(folder, 'etc/acme.pub')], tier: 'local' }],
    lockFile: join(folder, 'etc/ambit.lock'),
    installed: {},
    capacity: {
      memoryShareBytes: 2_147_483_648,
      concurrency: 4,
      concurrencyPerSkill: 8,
      queue: 0,
      wasmHosts: 3,
      prewarm: 0,
      maxPrewarmSeconds: 60,
    },
    workspaces: defaultConfig().workspaces,
    console: false,
    mcp: { untrustedTools: true },
    audit: {
      ...defaultConfig().audit,
      payloads: 'digest',
      skills: { scratch: { payloads: 'full' } },
      previewCharacters: 1000,
      fullBytes: 1_048_576,
      retentionDays: 0.5,
      retentionBytes: 1_073_741_824,
      prune: 'events',
      checkpoints: { file: '/home/ada/witness.jsonl' },
      warnFreeBytes: 2 ** 30,
      minFreeBytes: 2 ** 24,
      reserveBytes: 16_000_000,
    },
    idempotency: { retentionHours: 24, rerunInterrupted: [] },
    store: {
      postgres: {
        url: 'postgres://ambit@db.example/ambit',
        password: 'NPM_TOKEN',
        tls: { ca: join(folder, 'etc/db-ca.pem'), verify: true },
        poolSize: 4,
        statementTimeoutMs: 10_000,
        connectTimeoutMs: 5000,
      },
    },
    cluster: { advertise: '[::1]:7434', leaseSeconds: 10, audit: 'local' },
    logLevel: 'warn',
    telemetry: { otlpEndpoint: 'http://127.0.0.1:4318' },
    bodyLimitBytes: 65_536,
    shutdown: { drainMs: 0, idleMs: 60_000 },
    watchConfig: true,
  });
});

test.each(['DATABASE', 'constructor'])(
  'refuses a password of the store that is not a secret: %s',
  async (name) => {
    const store = `store: { postgres: { url: 'postgres://ambit@db.example/ambit', password: ${name} } }`;
    const folder = await temporaryFolder({
      'without.yaml': `${store}\nsecrets: { OTHER: { env: OTHER } }`,
      'with.yaml': `${store}\nsecrets: { ${name}: { env: OTHER } }`,
    });
    const from = (config: string) => sources(folder, { flags: { config } });
    expect(await issuesOf(from('without.yaml'))).toEqual([
      `${join(folder, 'without.yaml')}: store.postgres.password: secrets has no ${name}; add its source there`,
    ]);
    expect((await loadConfig(from('with.yaml'))).store.postgres?.password).toBe(name);
  },
);

test('the default data directory is beside the file', async () => {
  const folder = await temporaryFolder({ 'etc/ambit.yaml': '' });
  const { dataDir } = await loadConfig(sources(folder, { env: { AMBIT_CONFIG: 'etc/ambit.yaml' } }));
  expect(dataDir).toBe(join(folder, 'etc/.ambit'));
});

test('variables override the file, flags override variables, and each value has its origin', async () => {
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
  const given = named(cwd, {
    env: { AMBIT_PORT: '2', AMBIT_DATA_DIR: 'two', AMBIT_LOG_LEVEL: '' },
    flags: { dataDir: '~/three', allowRemote: true },
  });
  const file = `file:${join(cwd, 'ambit.config.yaml')}`;
  const changed = [
    { key: 'listen.host', value: '127.0.0.2', origin: file },
    { key: 'listen.port', value: 2, origin: 'env:AMBIT_PORT' },
    { key: 'listen.allowRemote', value: true, origin: 'flag:--allow-remote' },
    { key: 'dataDir', value: '/home/ada/three', origin: 'flag:--data-dir' },
    { key: 'skills.0', value: { path: join(cwd, 'mine'), tier: 'local' }, origin: file },
    { key: 'grants.a', value: Capabilities.parse({ env: ['TZ'] }), origin: file },
    { key: 'grants.a.mcpServers', value: { notes: { command: 'notes' } }, origin: file },
    { key: 'phases.plan', value: { tools: ['Read'], required: [], skills: [] }, origin: file },
    { key: 'agents.developer', value: { skills: ['a'] }, origin: file },
    { key: 'limits.timeoutMs', value: 1000, origin: file },
    { key: 'logLevel', value: 'warn', origin: file },
  ];
  const entries = await valuesOf(given);
  expect(entries.filter(({ origin }) => origin !== 'default')).toEqual(changed);
  // The others are the same as without a file.
  const keys = new Set(changed.map(({ key }) => key));
  const others = (await valuesOf(sources(await temporaryFolder()))).filter(
    ({ key }) => !keys.has(key) && !key.startsWith('skills.'),
  );
  expect(entries.filter(({ origin }) => origin === 'default')).toEqual(others);
});

test('a key that its section leaves out has the origin default, and fits what the section sets', async () => {
  const cwd = await temporaryFolder({
    'ambit.config.yaml': `
imports: { timeoutMs: 900 }
workspaces: { maxQuotaBytes: 1000, expiresAfterSeconds: 31000000 }
`,
  });
  const entries = (await valuesOf(named(cwd))).filter(({ key }) => /^(imports|workspaces)\./.test(key));
  const file = `file:${join(cwd, 'ambit.config.yaml')}`;
  expect(entries).toEqual([
    { key: 'imports.network', value: [], origin: 'default' },
    { key: 'imports.timeoutMs', value: 900, origin: file },
    { key: 'workspaces.maxPerKey', value: 32, origin: 'default' },
    { key: 'workspaces.quotaBytes', value: 1000, origin: 'default' },
    { key: 'workspaces.maxQuotaBytes', value: 1000, origin: file },
    { key: 'workspaces.maxTotalBytes', value: 8 * 1024 ** 3, origin: 'default' },
    { key: 'workspaces.maxFiles', value: 20_000, origin: 'default' },
    { key: 'workspaces.expiresAfterSeconds', value: 31_000_000, origin: file },
    { key: 'workspaces.maxExpiresAfterSeconds', value: 31_000_000, origin: 'default' },
  ]);
});

test('the policy of a cluster replaces its sections, each value with its origin, and nothing of the machine', async () => {
  const cwd = await temporaryFolder({
    'ambit.config.yaml': `
store: { postgres: { url: 'postgres://ambit@db.example/ambit' } }
cluster: { advertise: 'a.example:7434' }
grants: { own: { mcpServers: { notes: { command: notes } } } }
limits: { timeoutMs: 1000, queue: 3 }
`,
  });
  const sections = {
    grants: { shared: Capabilities.parse({ env: ['TZ'] }) },
    deny: Capabilities.parse({ network: ['*.internal'] }),
    limits: { cpuMs: 500 },
    tiers: { local: { processes: 7 } },
    mcp: { untrustedTools: true },
  };
  const given = { ...named(cwd), readPolicy: async () => ({ revision: 4, sections }) };
  const file = `file:${join(cwd, 'ambit.config.yaml')}`;
  const origin = 'cluster policy, revision 4';
  const entries = (await valuesOf(given)).filter((entry) => entry.origin !== 'default');
  expect(entries.filter(({ key }) => !/^(store|cluster)/.test(key))).toEqual([
    { key: 'grants.shared', value: sections.grants.shared, origin },
    { key: 'grants.own.mcpServers', value: { notes: { command: 'notes' } }, origin: file },
    { key: 'deny', value: sections.deny, origin },
    { key: 'tiers.local.processes', value: { default: 7, max: 7 }, origin },
    { key: 'limits.cpuMs', value: 500, origin },
    { key: 'limits.queue', value: 3, origin: file },
    { key: 'mcp.untrustedTools', value: true, origin },
  ]);
  const { clusterPolicy, ...config } = await loadConfig(given);
  expect(config).toMatchObject(sections);
  expect(clusterPolicy).toMatchObject({ revision: 4, own: { limits: { timeoutMs: 1000 } } });
});

test('a configured tier applies to a discovered folder of skills', async () => {
  const cwd = await temporaryFolder({
    'ambit.config.yaml': 'skills: [{ path: .agents/skills, tier: local }]',
  });
  expect((await loadConfig(named(cwd))).skills).toEqual([
    { path: join(cwd, '.agents/skills'), tier: 'local' },
    bundled,
    ...found(cwd, home).slice(1),
  ]);
});

test('lists the bundled skills once if the operator names their folder', async () => {
  const skills = [{ path: bundledSkills, tier: 'verified' }];
  const cwd = await temporaryFolder({ 'ambit.config.yaml': JSON.stringify({ skills }) });
  expect((await loadConfig(named(cwd))).skills).toEqual([...skills, ...found(cwd, home)]);
});

test('reports the mistakes of every layer together', async () => {
  const cwd = await temporaryFolder({ 'ambit.config.yaml': 'lisen: {}\nlogLevel: loud\n' });
  const file = join(cwd, 'ambit.config.yaml');
  const given = named(cwd, { env: { AMBIT_PORT: 'http' }, flags: { port: '99999', host: 'a b' } });
  expect(await issuesOf(given)).toEqual([
    `${file}: logLevel: write fatal, error, warn, info, debug, trace or silent, not "loud"`,
    `${file}: unknown field "lisen" (did you mean listen?)`,
    'AMBIT_PORT: write a port from 0 to 65535',
    '--host: write a host name or an address without a port, such as 127.0.0.1',
    '--port: write a port from 0 to 65535',
  ]);
});
