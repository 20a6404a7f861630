import { readFile } from 'node:fs/promises';
import { SkillError } from '@ambit/core';
import { skillErrorCodes } from '@ambit/core/internal';
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../config/config-error.ts';
import { UntrustedError } from '../config/untrusted-error.ts';
import { CliError, type CliErrorCode } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';
import { runAmbit } from './testing/run-ambit.ts';

/** Any command will do to have something thrown. */
const throwing = (error: unknown) => ({ actions: { inspectMachine: () => Promise.reject(error) } });

test('the help shows every command, the options of all of them, and the exit codes', async () => {
  expect(await runAmbit('--help')).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: `Usage: ambit [options] [command]

Runs the skills of AI agents within bounds.

Options:
  -V, --version                    print the version
  --config <file>                  the configuration (default: ambit.config.yaml in this folder or above)
  --data-dir <dir>                 where key and audit log are (default: .ambit beside the configuration)
  --url <address>                  ask the daemon at this address (or AMBIT_URL)
  --key-file <file>                its key (or AMBIT_KEY_FILE; or the key itself in AMBIT_KEY)
  --json                           print one JSON document; errors too, to stderr
  --no-color                       print without colours; so does NO_COLOR=1
  -h, --help                       print this help

Commands:
  serve [options]                  start the daemon
  run [options] <skill> [args...]  execute a skill
  workspace                        keep files across calls
  skills                           list, show, make, check and merge skills
  prompt [options]                 compose a prompt from the skills of a phase or an agent
  mcp                              speak MCP over stdin and stdout
  import [options] <kind> <from>   make skill folders of another system's skills
  export [options] <kind> [id...]  write skills in another system's format
  audit [options]                  show the log of calls
  key                              make, list and revoke keys
  doctor                           say what is wrong with this machine, its files or the daemon
  config                           show the configuration in force
  trust [options] [folder]         review and trust the configuration of a folder
  completion <shell>               print what completes commands in a shell
  help [command]                   print the help of a command

Examples:
  ambit serve        start the daemon
  ambit skills list  see what there is
  ambit run --help   how to execute one

Exit codes:
  0    done; of a call: its outcome is succeeded
  1    the skill ran and did not succeed, or its program ended with a code other than 0
  2    the command line or the configuration is wrong; nothing was started
  3    refused: CONFIG_UNTRUSTED, CAPABILITY_…, INPUT_INVALID, SKILL_…, a workspace that is not there or full, a skill that does not validate (or lint, with --strict) or cannot be merged, or a log or receipt that does not verify
  4    this machine cannot: SANDBOX_UNAVAILABLE, PROGRAM_MISSING, SECRET_UNAVAILABLE, AUDIT_UNAVAILABLE, OVERLOADED, a key, a trust store, an address, a data directory or an output that cannot be used
  5    a fault of Ambit itself
  130  interrupted by Ctrl-C or SIGTERM; the call was canceled and recorded (serve stops in order, with 0)
`,
  });
});

test.each([
  'serve',
  'run',
  'mcp',
  'skills list',
  'skills validate',
  'import',
  'export',
  'audit',
  'doctor',
  'config',
])('the help of %s has examples, and the options of every command', async (command) => {
  const { exitCode, stdout, stderr } = await runAmbit(`${command} --help`);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(
    /\nGlobal Options:\n.*--config <file>.*--data-dir <dir>.*--json.*\nExamples:\n {2}\S/s,
  );
});

test('the version is the one that was injected', async () => {
  expect(await runAmbit('--version')).toEqual({ exitCode: 0, stdout: '0.1.0\n', stderr: '' });
});

test('a line without a command is answered with the help, on stderr, as a mistake', async () => {
  const help = (await runAmbit('--help')).stdout;
  expect(await runAmbit('')).toEqual({ exitCode: 2, stdout: '', stderr: help });
  for (const line of ['--json', 'skills --json'])
    expect(await runAmbit(line)).toEqual({
      ...{ exitCode: 2, stdout: '' },
      stderr:
        '{"error":{"code":"USAGE_INVALID","message":"no command is given, or none that there is","details":{}}}\n',
    });
});

describe('a line that cannot be understood ends with 2 and says why', () => {
  test.each([
    ['rnu', "unknown command 'rnu' (Did you mean run?)"],
    ['run', "missing required argument 'skill'"],
    ['run x --inptu -', "unknown option '--inptu' (Did you mean --input?)"],
    [
      'run x --timeout 0',
      "option '--timeout <ms>' argument '0' is invalid. Write milliseconds, a whole number above 0.",
    ],
    [
      'audit --limit 1001',
      "option '--limit <n>' argument '1001' is invalid. Write a whole number, 1 to 1000.",
    ],
    ['doctor now', "too many arguments for 'doctor'. Expected 0 arguments but got 1: now."],
  ])('%s', async (line, message) => {
    const next = 'ambit --help and ambit COMMAND --help show how it is used.';
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

describe('what a command throws decides its exit code', () => {
  const skillErrors: Record<(typeof skillErrorCodes)[number], number> = {
    SKILL_NOT_FOUND: 3,
    SKILL_NOT_EXECUTABLE: 3,
    SKILL_INVALID: 3,
    SKILL_CHANGED: 3,
    SKILL_CYCLE: 3,
    INPUT_INVALID: 3,
    CAPABILITY_DENIED: 3,
    CAPABILITY_UNSUPPORTED: 3,
    SANDBOX_UNAVAILABLE: 4,
    PROGRAM_MISSING: 4,
    SECRET_UNAVAILABLE: 4,
    WORKSPACE_NOT_FOUND: 3,
    WORKSPACE_FILE_NOT_FOUND: 3,
    WORKSPACE_BUSY: 4,
    WORKSPACE_FULL: 3,
    WORKSPACE_LIMIT: 3,
    OVERLOADED: 4,
    AUDIT_UNAVAILABLE: 4,
    INTERNAL: 5,
  };
  const cliErrors: Record<CliErrorCode, number> = {
    USAGE_INVALID: 2,
    DAEMON_REFUSED: 3,
    DAEMON_UNREACHABLE: 4,
    DATA_DIR_TAKEN: 4,
    KEY_UNUSABLE: 4,
    TRUST_STORE_UNUSABLE: 4,
    OUTPUT_LOST: 4,
    INTERRUPTED: 130,
    ADDRESS_UNAVAILABLE: 4,
  };
  test.each([
    ...skillErrorCodes.map((code) => [code, new SkillError(code, 'why'), skillErrors[code]] as const),
    ...Object.entries(cliErrors).map(
      ([code, exit]) => [code, new CliError(code as CliErrorCode, 'why'), exit] as const,
    ),
    ['CONFIG_INVALID', new ConfigError(['why']), 2] as const,
    ['CONFIG_UNTRUSTED', new UntrustedError('configuration', '/a/b', '/a', 'why'), 3] as const,
    ['INTERNAL', new TypeError('why'), 5] as const,
  ])('%s', async (code, error, exitCode) => {
    const ran = await runAmbit('doctor', throwing(error));
    expect(ran).toMatchObject({ exitCode, stdout: '' });
    expect(ran.stderr.split('\n')[0]).toBe(`ambit: ${code}: ${error.message.split('\n')[0]}`);
  });
});

test('with --json an error is one JSON document on stderr, with the details for a program', async () => {
  const denials = [{ capability: 'env', requested: 'TZ', reason: 'no grant covers it', remedy: 'grants: …' }];
  const error = new SkillError('CAPABILITY_DENIED', 'it is not run', {
    details: { denials },
    cause: new Error('inner'),
  });
  const printed = { error: { code: 'CAPABILITY_DENIED', message: 'it is not run', details: { denials } } };
  expect(await runAmbit('doctor --json', throwing(error))).toEqual({
    exitCode: 3,
    stdout: '',
    stderr: `${JSON.stringify(printed)}\n`,
  });
});

test('the mistakes of a configuration stand below one another', async () => {
  expect(await runAmbit('doctor', throwing(new ConfigError(['AMBIT_PORT: a', '--host: b'])))).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'ambit: CONFIG_INVALID: the configuration cannot be used:\n  AMBIT_PORT: a\n  --host: b\n',
  });
});

test('the options of every command are understood before it and after it', async () => {
  const seen: unknown[] = [];
  const inspectMachine = async () => ({ checks: [] });
  const loadConfig = ({ config, dataDir }: { config?: string | undefined; dataDir?: string | undefined }) => {
    seen.push({ config, dataDir });
    return Promise.reject(new ConfigError([]));
  };
  await runAmbit('--config a.yaml doctor --data-dir b', { actions: { loadConfig, inspectMachine } });
  await runAmbit('--data-dir b doctor --config a.yaml', { actions: { loadConfig, inspectMachine } });
  expect(seen).toEqual([
    { config: 'a.yaml', dataDir: 'b' },
    { config: 'a.yaml', dataDir: 'b' },
  ]);
});

test('docs/cli.md has the same table of exit codes', async () => {
  const page = await readFile(new URL('../../../../docs/cli.md', import.meta.url), 'utf8');
  const rows = Object.entries(exitCodes).map(([code, meaning]) => `| ${code} | ${meaning} |`);
  expect(page.split('\n').filter((line) => /^\| \d/.test(line))).toEqual(rows);
});

test('nobody is shown a stack, unless AMBIT_DEBUG asks for it', async () => {
  const error = new TypeError('why');
  expect((await runAmbit('doctor', throwing(error))).stderr).toBe(
    'ambit: INTERNAL: why\nThis is a fault of Ambit itself. AMBIT_DEBUG=1 before the command shows where, for a report of it.\n',
  );
  const cause = new SkillError('INTERNAL', 'a fault', { cause: error });
  for (const thrown of [error, cause]) {
    const { stderr } = await runAmbit('doctor', { ...throwing(thrown), env: { AMBIT_DEBUG: '1' } });
    expect(stderr).toContain(error.stack);
  }
});

test.each<
  [claim: string, env: Record<string, string>, line: string, columns: number | undefined, isColoured: boolean]
>([
  ['a terminal has colours', {}, 'doctor', 80, true],
  ['NO_COLOR takes them away', { NO_COLOR: '1' }, 'doctor', 80, false],
  ['an empty NO_COLOR does not', { NO_COLOR: '' }, 'doctor', 80, true],
  ['what is no terminal has none', {}, 'doctor', undefined, false],
  ['FORCE_COLOR gives it some', { FORCE_COLOR: '1' }, 'doctor', undefined, true],
  ['FORCE_COLOR=0 takes them away', { FORCE_COLOR: '0' }, 'doctor', 80, false],
  ['--no-color goes over FORCE_COLOR', { FORCE_COLOR: '1' }, 'doctor --no-color', 80, false],
])('%s', async (_, env, line, columns, isColoured) => {
  const check = { name: 'node', status: 'ok' as const, found: 'v24', meaning: 'It runs.' };
  const { stdout } = await runAmbit(line, {
    ...{ actions: { inspectMachine: async () => ({ checks: [check] }) }, env },
    ...(columns !== undefined && { columns }),
  });
  expect(stdout.includes('\u001b[32m')).toBe(isColoured);
});
