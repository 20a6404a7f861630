import { readFile } from 'node:fs/promises';
import { exitCodes, type RefusalCode } from '@ambit/api';
import { ambitClient } from '@ambit/client';
import { SkillError } from '@ambit/core';
import { UsageError } from '@ambit/core/outcome';
import { ConfigError } from '@ambit/server/config';
import { Refusal } from '@ambit/server/errors';
import { UntrustedError } from '@ambit/server/trust';
import { skillSummary } from '@ambit/server/wire';
import { describe, expect, test } from 'vitest';
import { localServer } from '../../../test/support/local-server.ts';
import { exitCodeOf } from './output/error-text.ts';
import { type CliEnvironment, runAmbit, skill } from './testing/run-ambit.ts';

/** Makes a command throw. */
const throwing = (error: unknown): CliEnvironment => ({ loadConfig: () => Promise.reject(error) });

test('the help shows every command, the global options and the exit codes', async () => {
  expect(await runAmbit('--help')).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: `Usage: ambit [options] [command]

Run the skills of AI agents in a sandbox.

Options:
  -V, --version                    print the version
  --config <file>                  use this configuration (default: the project's, or your own)
  --data-dir <dir>                 use this data directory (default: the project's .ambit, or your own)
  --url <address>                  call the daemon at this address (or set AMBIT_URL)
  --key-file <file>                read the daemon key from this file (or set AMBIT_KEY_FILE or AMBIT_KEY)
  --json                           print one JSON document; errors are JSON on stderr
  --no-color                       print without colors (or set NO_COLOR=1)
  -h, --help                       print this help

Commands:
  serve [options]                  start the daemon
  stop                             stop the daemon
  run [options] <skill> [args...]  run a skill
  workspace                        manage workspaces, which preserve files across calls
  skills                           list, install, review, approve, create and check skills
  grant [options] <skill>          grant a skill access beyond its sandbox
  grants [skill]                   list what skills may access
  prompt [options]                 compose a prompt from the skills of a phase or an agent
  mcp [options]                    serve MCP over stdin and stdout
  import [options] <kind> <from>   convert another system's skills and install them
  export [options] <kind> [id...]  write skills in another system's format
  audit [options]                  query the audit log
  key                              create, list and revoke API keys
  store                            copy the store to PostgreSQL
  console [options]                print an address that signs in to the web console
  cluster                          run Ambit on several machines
  doctor                           diagnose this machine, its files and the daemon
  config                           show the configuration in force
  trust [options] [folder]         review and trust the configuration of a folder
  completion <shell>               print the completion script for a shell
  help [command]                   print the help of a command

Examples:
  ambit serve        start the daemon
  ambit skills list  list the skills
  ambit run --help   learn how to run one

Exit codes:
  0    success; for a call, its outcome is succeeded
  1    the skill ran and did not succeed, or its program exited with a code other than 0
  2    the command line, the configuration, a source (SOURCE_MISSING, SOURCE_UNSUPPORTED), the package index (DEPENDENCY_NO_INDEX) or ambit.lock is invalid; nothing was started
  3    refused: CONFIG_UNTRUSTED, CAPABILITY_…, INPUT_INVALID, SKILL_…, other SOURCE_…, INSTALL_NOT_FOUND, REVIEW_REQUIRED, REVIEW_STALE, LOCK_MISMATCH, SIGNATURE_INVALID, TIER_NOT_ALLOWED, NAMESPACE_TAKEN, other DEPENDENCY_…, NODE_DUPLICATED, NODE_RETIRED, INVITATION_INVALID, CLUSTER_INVALID, a workspace that does not exist or is full, a skill that fails validation (or lint, with --strict), cannot be merged or has hidden text, or a log or receipt that fails verification
  4    unavailable: SANDBOX_UNAVAILABLE, PROGRAM_MISSING, SECRET_UNAVAILABLE, AUDIT_UNAVAILABLE, STORE_UNAVAILABLE, LEASE_LOST, MEMORY_SHARE_EXCEEDED, OVERLOADED, SOURCE_UNREACHABLE, NODE_UNUSABLE, or an unusable key, trust store, address, data directory or output
  5    an internal error of Ambit
  130  interrupted by Ctrl-C or SIGTERM; the call was canceled and recorded (serve shuts down and exits with 0)
`,
  });
});

test('a line without a command prints the help to stderr and is a usage error', async () => {
  const help = (await runAmbit('--help')).stdout;
  expect(await runAmbit('')).toEqual({ exitCode: 2, stdout: '', stderr: help });
  for (const line of ['--json', 'skills --json'])
    expect(await runAmbit(line)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: '{"error":{"code":"USAGE_INVALID","message":"missing or unknown command","details":{}}}\n',
    });
});

describe('an invalid command line exits with 2 and the reason', () => {
  test.each([
    ['', 'rnu', "unknown command 'rnu' (Did you mean run?)"],
    ['run', 'run', "missing required argument 'skill'"],
    ['run', 'run x --inptu -', "unknown option '--inptu' (Did you mean --input?)"],
    [
      'run',
      'run x --timeout 0',
      "option '--timeout <time>' argument '0' is invalid. Write a positive whole number of milliseconds, or one with a unit (ms, s, m, h), such as 600000 or 10m.",
    ],
    [
      'audit',
      'audit --limit 1001',
      "option '--limit <n>' argument '1001' is invalid. Write a whole number from 1 to 1000.",
    ],
    [
      'key create',
      '--config c.yaml key create a b',
      "too many arguments for 'create'. Expected 1 argument but got 2: a, b.",
    ],
    [
      'completion',
      'completion powershell',
      'invalid shell "powershell". Allowed choices are bash, zsh, fish.',
    ],
    ['doctor', 'doctor now', "too many arguments for 'doctor'. Expected 0 arguments but got 1: now."],
  ])('%s: %s', async (command, line, message) => {
    const next = `For usage, run: ${command === '' ? 'ambit' : `ambit ${command}`} --help`;
    expect(await runAmbit(line)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `ambit: USAGE_INVALID: ${message}\n${next}\n`,
    });
    expect(await runAmbit(`${line} --json`)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `${JSON.stringify({ error: { code: 'USAGE_INVALID', message, details: {} } })}\n`,
    });
  });
});

describe('the error of a command decides the exit code', () => {
  test.each([
    ['CONFIG_INVALID', new ConfigError(['why']), 2],
    ['USAGE_INVALID', new UsageError('why'), 2],
    ['CONFIG_UNTRUSTED', new UntrustedError('configuration', '/a/b', { reason: 'why', folder: '/a' }), 3],
    ['SKILL_NOT_FOUND', new SkillError('SKILL_NOT_FOUND', 'why'), 3],
    ['NAMESPACE_TAKEN', new Refusal('NAMESPACE_TAKEN', 'why'), 3],
    ['MEMORY_SHARE_EXCEEDED', new SkillError('MEMORY_SHARE_EXCEEDED', 'why'), 4],
    ['OVERLOADED', new SkillError('OVERLOADED', 'why'), 4],
    ['KEY_UNUSABLE', new Refusal('KEY_UNUSABLE', 'why'), 4],
    ['INTERNAL', new SkillError('INTERNAL', 'why'), 5],
    ['INTERNAL', new TypeError('why'), 5],
    ['INTERRUPTED', new Refusal('INTERRUPTED', 'why'), 130],
  ])('%s', async (code, error, exitCode) => {
    const ran = await runAmbit('skills list', throwing(error));
    expect(ran).toMatchObject({ exitCode, stdout: '' });
    expect(ran.stderr.split('\n')[0]).toBe(`ambit: ${code}: ${error.message.split('\n')[0]}`);
  });
});

test('each code that the table of exit codes names has that exit code', () => {
  for (const exitCode of [2, 3, 4] as const)
    for (const [code] of exitCodes[exitCode].matchAll(/\b[A-Z]+(?:_[A-Z]+)*\b/g)) {
      expect([code, exitCodeOf(new Refusal(code as RefusalCode, 'why'))]).toEqual([code, exitCode]);
    }
});

test('--json prints an error as one JSON document on stderr, with its details', async () => {
  const denials = [{ capability: 'env', requested: 'TZ', reason: 'is not granted', remedy: 'grants: …' }];
  const error = new SkillError('CAPABILITY_DENIED', 'x needs env TZ, which is not granted', {
    details: { denials },
    cause: new Error('inner'),
  });
  const printed = {
    error: {
      code: 'CAPABILITY_DENIED',
      message: 'x needs env TZ, which is not granted',
      details: { denials },
    },
  };
  expect(await runAmbit('skills list --json', throwing(error))).toEqual({
    exitCode: 3,
    stdout: '',
    stderr: `${JSON.stringify(printed)}\n`,
  });
});

test.each([
  ['skills list', 'To list the skills, run: ambit skills list'],
  [
    'skills list --config c.yaml --data-dir d',
    'To list the skills, run: ambit skills list --config c.yaml --data-dir d',
  ],
  [
    'skills list --url http://127.0.0.1:1 --key-file key',
    "To list the skills, run: ambit skills list --url 'http://127.0.0.1:1' --key-file key",
  ],
])('the next step of `ambit %s` repeats its flags', async (line, next) => {
  const { stderr } = await runAmbit(line, throwing(new SkillError('SKILL_NOT_FOUND', 'why')));
  expect(stderr).toBe(`ambit: SKILL_NOT_FOUND: why\n${next}\n`);
});

test('validation of a skill works on local files, so its next step omits --url', async () => {
  const error = throwing(new SkillError('SKILL_INVALID', 'why'));
  expect((await runAmbit('skills list --data-dir d --url http://127.0.0.1:1', error)).stderr).toBe(
    'ambit: SKILL_INVALID: why\nTo list every problem of a skill, run: ambit skills validate --data-dir d\n',
  );
});

describe('a missing grant is followed by what the edit needs', () => {
  const denied = (why: string) => throwing(new SkillError('CAPABILITY_DENIED', why));
  const suggestion =
    'x needs env TZ, which is not granted. Add to ambit.config.yaml: grants: { x: { env: [TZ] } }';
  const stderrOf = async (line: string, why: string, stdinIsTerminal = false) =>
    (await runAmbit(line, { ...denied(why), stdinIsTerminal })).stderr.split('\n').slice(1);

  test('trust, for a configuration that Ambit finds', async () => {
    expect(await stderrOf('skills list', suggestion, true)).toEqual([
      'After you edit ambit.config.yaml, run: ambit trust. To see which file is used, run: ambit config',
      '',
    ]);
    expect(await stderrOf('skills list', suggestion)).toEqual([
      'A person decides, in a terminal, whether to trust the edited ambit.config.yaml. To see which file is used, run: ambit config',
      '',
    ]);
  });

  test('the file, if --config names it', async () => {
    expect(await stderrOf('skills list --config c.yaml', suggestion)).toEqual([
      'Here the configuration to edit is c.yaml. It needs no trust. To apply it to a running daemon, run: ambit config reload --config c.yaml',
      '',
    ]);
  });

  test('the file, for a secret without a place too', async () => {
    const why = 'the secret K is unavailable. Add to ambit.config.yaml: secrets: { K: { env: K } }';
    const error = throwing(new SkillError('SECRET_UNAVAILABLE', why));
    expect((await runAmbit('skills list --config c.yaml', error)).stderr.split('\n')[1]).toBe(
      'Here the configuration to edit is c.yaml. It needs no trust. To apply it to a running daemon, run: ambit config reload --config c.yaml',
    );
  });

  test('nothing, if no grant helps', async () => {
    expect(await stderrOf('skills list', 'x did not run: the granted path /srv does not exist')).toEqual([
      '',
    ]);
  });
});

test('global options work before and after the command', async () => {
  const seen: unknown[] = [];
  const loadConfig: CliEnvironment['loadConfig'] = ({ config, dataDir }) => {
    seen.push({ config, dataDir });
    return Promise.reject(new ConfigError([]));
  };
  await runAmbit('--config a.yaml doctor --data-dir b', { loadConfig });
  await runAmbit('--data-dir b doctor --config a.yaml', { loadConfig });
  expect(seen).toEqual([
    { config: 'a.yaml', dataDir: 'b' },
    { config: 'a.yaml', dataDir: 'b' },
  ]);
});

test.each([
  [
    'another server',
    'the server at URL is not an Ambit daemon, or has an incompatible version. Check the address',
  ],
  ['no server', 'nothing listens at URL. Start the daemon there (ambit serve), or correct the address'],
])('an answer of %s exits with 4 and names the address', async (server, message) => {
  const { origin, close } = await localServer((_, response) => response.end('<html>'));
  if (server === 'no server') close();
  const around = { client: ambitClient({ url: origin, retries: { max: 0 } }), daemonUrl: origin };
  expect(await runAmbit('skills list', around)).toMatchObject({
    exitCode: 4,
    stdout: '',
    stderr: expect.stringContaining(`ambit: DAEMON_UNREACHABLE: ${message.replace('URL', origin)}\n`),
  });
});

test('docs/cli.md has the same table of exit codes', async () => {
  const page = await readFile(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
  const rows = Object.entries(exitCodes).map(([code, meaning]) => `| ${code} | ${meaning} |`);
  expect(page.split('\n').filter((line) => /^\| \d/.test(line))).toEqual(rows);
});

test('stacks are printed only with AMBIT_DEBUG', async () => {
  const error = new TypeError('why');
  expect((await runAmbit('skills list', throwing(error))).stderr).toBe(
    'ambit: INTERNAL: why\nThis is a bug in Ambit. To get a stack trace for a bug report, run the command again with AMBIT_DEBUG=1.\n',
  );
  const cause = new SkillError('INTERNAL', 'a fault', { cause: error });
  for (const thrown of [error, cause]) {
    const { stderr } = await runAmbit('skills list', { ...throwing(thrown), env: { AMBIT_DEBUG: '1' } });
    expect(stderr).toContain(error.stack);
  }
});

test.each<
  [claim: string, env: Record<string, string>, line: string, columns: number | undefined, isColoured: boolean]
>([
  ['a terminal gets colors', {}, 'skills list', 80, true],
  ['NO_COLOR disables colors', { NO_COLOR: '1' }, 'skills list', 80, false],
  ['an empty NO_COLOR has no effect', { NO_COLOR: '' }, 'skills list', 80, true],
  ['other outputs get no colors', {}, 'skills list', undefined, false],
  ['FORCE_COLOR forces colors', { FORCE_COLOR: '1' }, 'skills list', undefined, true],
  ['FORCE_COLOR=0 disables colors', { FORCE_COLOR: '0' }, 'skills list', 80, false],
  ['--no-color overrides FORCE_COLOR', { FORCE_COLOR: '1' }, 'skills list --no-color', 80, false],
])('%s', async (_, env, line, columns, isColoured) => {
  const skills = [skillSummary(skill('a'))];
  const { stdout } = await runAmbit(line, {
    client: { skills: async () => ({ skills, broken: [], brokenCount: 0, next: null }) },
    env,
    ...(columns !== undefined && { columns }),
  });
  expect(stdout.includes('\u001b[1m')).toBe(isColoured);
});
