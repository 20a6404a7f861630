// Threat model: T294

import { execFileSync } from 'node:child_process';
import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import {
  fileIssues,
  fileIssuesIn,
  issuesOf,
  named,
  sources,
  trusting,
} from '../../testing/config-sources.ts';
import { loadConfig } from '../../testing/load-config.ts';

const writeBytes =
  'write a positive whole number of bytes, or one with a unit (B, KiB, MiB, GiB, TiB), such as 536870912 or 512MiB';
const writeTime =
  'write a positive whole number of milliseconds, or one with a unit (ms, s, m, h), such as 600000 or 10m';

test("does not print the parser's warnings, which quote control characters of the file", async () => {
  const printed: string[] = [];
  const onWarning = ({ message }: Error): number => printed.push(message);
  process.on('warning', onWarning);
  const cwd = await temporaryFolder({ 'ambit.config.yaml': 'logLevel: !<\u001b[31mred> debug\n' });
  expect((await loadConfig(named(cwd))).logLevel).toBe('debug');
  await new Promise(setImmediate);
  process.off('warning', onWarning);
  expect(printed).toEqual([]);
});

describe('a file is refused', () => {
  test.each([
    [
      'for an unknown nested key, with the nearest known one',
      'listen: { ports: 1 }',
      ['unknown field "ports" in listen (did you mean port?)'],
    ],
    [
      'for an unknown key of a grant',
      'grants: { a: { netwrok: [] } }',
      ['unknown field "netwrok" in grants.a (did you mean network?)'],
    ],
    ['for a port that is none', 'listen: { port: 65536 }', ['listen.port: write a port from 0 to 65535']],
    [
      'for a host with a port',
      'listen: { host: "localhost:80" }',
      ['listen.host: write a host name or an address without a port, such as 127.0.0.1'],
    ],
    ['for an empty path', 'dataDir: ""', ['dataDir: write a path']],
    [
      'for * in a list of tools',
      'phases: { plan: { tools: ["*"] }, ship: { tools: every, required: [Read, "*"] } }',
      [
        'phases.plan.tools: "*" is not the name of a tool; for every tool of the agent, write tools: all',
        'phases.ship.tools: write a list of tools, or all',
        'phases.ship.required: "*" is not the name of a tool; for every tool of the agent, write tools: all',
      ],
    ],
    [
      'for two phases that differ only in case',
      'phases: { plan: {}, ship: {}, PLAN: {} }',
      ['phases.PLAN: the same phase as plan, because names ignore case; remove one of them'],
    ],
    [
      'for an unknown key of a phase',
      'phases: { plan: { tool: [Read] } }',
      ['unknown field "tool" in phases.plan (did you mean tools?)'],
    ],
    [
      'for an MCP server without a definition, because the skill could then choose its command',
      'grants: { a: { mcpServers: [notes] } }',
      ['grants.a.mcpServers: write a mapping, not a list'],
    ],
    [
      'for an unknown tier',
      'skills: [{ path: a, tier: lokal }]',
      ['skills.0.tier: write local, verified or untrusted, not "lokal"'],
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
        'grants.a.filesystem.write.0: name the paths: "granted" is a placeholder that only a skill can use, for the paths named here',
      ],
    ],
    [
      'for "granted" in a deny rule',
      'deny: { filesystem: { read: [granted] } }',
      [
        'deny.filesystem.read.0: name the paths: "granted" is a placeholder that only a skill can use, for the paths named here',
      ],
    ],
    [
      'for "granted" in a grant of the network',
      'grants: { a: { network: [granted, { host: granted }] } }',
      [0, 1].map(
        (index) =>
          `grants.a.network.${index}: name the hosts: "granted" is a placeholder that only a skill can use, for the hosts named here`,
      ),
    ],
    [
      'for a grant of everything of a kind',
      'grants: { a: { exec: ["*"], env: ["*"], network: ["*"], filesystem: { read: [/, ~/../..], write: [/srv, /] } } }',
      [
        ['filesystem.read.0', 'name the folders: /srv/data'],
        ['filesystem.read.1', 'name the folders: /srv/data'],
        ['filesystem.write.1', 'name the folders: /srv/data'],
        ['network.0', 'name the hosts: api.example.com, "*.example.com"'],
        ['env.0', 'name the variables: TZ'],
        ['exec.0', 'name the programs: git, or @posix'],
      ].map(
        ([key, narrower]) =>
          `grants.a.${key}: ${narrower}. No grant stands for all of them. For everything that your user may do, and only for a skill of tier local that you trust like your own shell: host: true`,
      ),
    ],
    [
      'for a user without host',
      'grants: { a: { user: ada }, b: { host: false, user: ada } }',
      ['a', 'b'].map(
        (id) => `grants.${id}.user: a user is only for host: true; remove it, or add host: true`,
      ),
    ],
    [
      'for a network rule that matches no host',
      'grants: { a: { network: ["http://127.0.0.1:7433/path", "exa mple", { host: "a.example:99999" }] } }',
      [
        'grants.a.network.0: a host has no path: write "http://127.0.0.1:7433", or { host: "http://127.0.0.1:7433", paths: ["/path"] }',
        ...[1, 2].map(
          (index) =>
            `grants.a.network.${index}: write a host such as api.example, "*.api.example", api.example:8443 or "http://127.0.0.1:8080"`,
        ),
      ],
    ],
    [
      'for a deny rule and a source of imports that match no host, without quoting a password',
      'deny: { network: ["https://a.example/"] }\nimports: { network: ["https://ada:secret@a.example/x"] }',
      [
        'deny.network.0: a host has no path: write "https://a.example"',
        'imports.network.0: write a host such as api.example, "*.api.example", api.example:8443 or "http://127.0.0.1:8080"',
      ],
    ],
    ['when it is not a mapping', '- a', ['the document: write a mapping, not a list']],
    [
      'when it has a key twice',
      'grants: {}\nskills: []\ngrants: {}',
      ['not valid YAML: a key appears twice; merge the two at line 3, column 1'],
    ],
    [
      'for a value with a colon that is not quoted',
      'logLevel: a: b',
      ['not valid YAML: a line has a second ": "; quote the value at line 1, column 11'],
    ],
    [
      'for a bracket that is not closed, where it opens',
      'logLevel: info\nlisten: { port: 1\nskills: []\n',
      ['not valid YAML: the { at line 2, column 9 is never closed; add a }'],
    ],
    [
      'for a line that is indented too little for its list item',
      'skills:\n  - path: a\n    tier: trusted\n   b: 1\n',
      [
        'not valid YAML: line 4 is neither a new list item nor part of the one above: indent it like the first key of that item',
      ],
    ],
    [
      'for an alias that has no anchor',
      'a: *b',
      ['not valid YAML: Unresolved alias (the anchor must be set before the alias): b'],
    ],
  ])('%s', async (_, content, issues) => {
    expect(await fileIssues(content)).toEqual(issues);
  });

  test('for a removed key, with what to do instead, beside other mistakes', async () => {
    expect(await fileIssues('installs: { denyList: {}, scanners: [], update: ask }')).toEqual([
      'installs.denyList: Ambit no longer fetches deny lists; remove the key, and refuse a version or a publisher with: ambit skills revoke SUBJECT',
      'installs.scanners: Ambit no longer runs scanners; remove the key, and run your scanner on the folder of a skill before you approve the skill',
      'unknown field "update" in installs (did you mean updates?)',
    ]);
    expect(await fileIssues('installs: { registries: [] }')).toEqual([
      'unknown field "registries" in installs (allowed fields: network, updates, minAgeHours, whileWaiting, dependencies)',
    ]);
  });

  test('for limits that are not positive', async () => {
    expect(await fileIssues('limits: { concurrency: 0, queue: -1, timeoutMs: -1 }')).toEqual([
      `limits.timeoutMs: ${writeTime}`,
      'limits.concurrency: must be greater than 0',
      'limits.queue: must be at least 0',
    ]);
  });

  test.each(['512MB', '-1MiB', '1 KB', '""', '.nan', '.inf', '-0', '1.5', '1.1B', '[1]'])(
    'for a limit of memory that is no size: %s',
    async (value) => {
      expect(await fileIssues(`tiers: { verified: { memoryBytes: ${value} } }`)).toEqual([
        `tiers.verified.memoryBytes: ${writeBytes}`,
      ]);
      expect(await fileIssues(`grants: { a: { limits: { memoryBytes: ${value} } } }`)).toEqual([
        `grants.a.limits.memoryBytes: ${writeBytes}`,
      ]);
    },
  );

  test('for limits that cannot hold', async () => {
    expect(
      await fileIssues(
        'tiers: { local: { processes: 40000, timeoutMs: { default: 2m, max: 60s }, outputBytes: 1GiB }, verified: { timeoutMs: 600h, memoryBytes: 9007199254740993 }, untrusted: { timeoutMs: 1s } }',
      ),
    ).toEqual([
      'tiers.local.timeoutMs.default: larger than max; lower it, or raise max',
      'tiers.local.processes: the maximum is 32768',
      'tiers.local.outputBytes: the maximum is 268435456',
      'tiers.verified.timeoutMs: the maximum is 2147483647',
      `tiers.verified.memoryBytes: ${writeBytes}`,
      'tiers.verified.memoryBytes: the maximum is 9007199254740991',
      'tiers.untrusted: skills of the tier untrusted run no programs; set limits.timeoutMs, or grants.ID.limits of a skill',
    ]);
  });

  test('for memory above the memory of all runs, and for more of that than the machine has', async () => {
    const share =
      'limits.memoryShareBytes, 1GiB, the memory of all runs together; lower it, or raise limits.memoryShareBytes';
    expect(
      await fileIssues(
        'limits: { memoryShareBytes: 1GiB, memoryBytes: 2GiB }\ntiers: { local: { memoryBytes: 1GiB }, verified: { memoryBytes: 1025MiB } }\ngrants: { a: { limits: { memoryBytes: 3GiB } } }',
      ),
    ).toEqual([
      `limits.memoryBytes: 2GiB is more than ${share}`,
      `tiers.verified.memoryBytes: 1025MiB is more than ${share}`,
      `grants.a.limits.memoryBytes: 3GiB is more than ${share}`,
    ]);
    expect(await fileIssues('limits: { memoryShareBytes: 5000TiB }')).toEqual([
      expect.stringMatching(/^limits\.memoryShareBytes: the maximum is \d+$/),
    ]);
  });

  test('for limits of a tier or a skill above the limit of every call', async () => {
    expect(
      await fileIssues(
        'limits: { timeoutMs: 30s, memoryBytes: 1GiB }\ntiers: { local: { timeoutMs: 60s, memoryBytes: 1GiB } }\ngrants: { a: { limits: { memoryBytes: 1025MiB } } }',
      ),
    ).toEqual([
      'tiers.local.timeoutMs: 1m is more than limits.timeoutMs, 30s, which bounds every call; lower it, or raise limits.timeoutMs',
      'grants.a.limits.memoryBytes: 1025MiB is more than limits.memoryBytes, 1GiB, which bounds every call; lower it, or raise limits.memoryBytes',
    ]);
  });

  test('for audit settings that are out of range', async () => {
    const audit =
      '{ payload: full, previewCharacters: 0, fullBytes: 1.5, retentionDays: 0, retentionBytes: 1000 }';
    expect(await fileIssues(`audit: ${audit}`)).toEqual([
      'audit.previewCharacters: write a positive number, or payloads: digest to store nothing',
      'audit.fullBytes: write a number of bytes',
      'audit.retentionDays: write a positive number of days, or omit this key to remove nothing by age',
      'audit.retentionBytes: the minimum is 1048576, because an empty log needs part of it',
      'unknown field "payload" in audit (did you mean payloads?)',
    ]);
  });

  test('when a flag or a variable names it and it does not exist', async () => {
    const cwd = await temporaryFolder();
    const path = join(cwd, 'x.yaml');
    expect(await issuesOf(sources(cwd, { flags: { config: 'x.yaml' } }))).toEqual([
      `--config: the file ${path} does not exist`,
    ]);
    expect(await issuesOf(sources(cwd, { env: { AMBIT_CONFIG: path } }))).toEqual([
      `AMBIT_CONFIG: the file ${path} does not exist`,
    ]);
  });

  test('when --config is empty; an empty AMBIT_CONFIG is ignored', async () => {
    const cwd = await temporaryFolder({ 'ambit.config.yaml': 'watchConfig: true' });
    expect(await issuesOf(sources(cwd, { flags: { config: '' } }))).toEqual([
      '--config is empty: write a path',
    ]);
    expect(await loadConfig(await trusting(cwd, { AMBIT_CONFIG: '' }))).toMatchObject({
      watchConfig: true,
    });
  });

  test('when it is a folder', async () => {
    const cwd = await temporaryFolder({ 'ambit.config.yaml/x': '' });
    expect(await fileIssuesIn(cwd)).toEqual([
      'cannot be read: EISDIR: illegal operation on a directory, read',
    ]);
  });

  test('when it is a pipe; a link to a file is accepted', async () => {
    const cwd = await temporaryFolder({ 'a.yaml': 'logLevel: warn' });
    const path = join(cwd, 'ambit.config.yaml');
    execFileSync('mkfifo', [path]);
    expect(await fileIssuesIn(cwd)).toEqual([
      'cannot be read: it is a pipe, which can be read only once; name a file',
    ]);
    await rm(path);
    await symlink('a.yaml', path);
    expect((await loadConfig(named(cwd))).logLevel).toBe('warn');
  });
});
