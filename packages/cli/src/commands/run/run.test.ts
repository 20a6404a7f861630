import { EventEmitter } from 'node:events';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecuteResult, Outcome } from '@ambit/core/execute';
import { executeAnswer } from '@ambit/server/wire';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { plainConfig } from '../../../../server/src/testing/plain-config.ts';
import { someResult } from '../../../../server/src/testing/some-result.ts';
import {
  type CliEnvironment,
  type CliResult,
  type FakeClient,
  refused,
  runAmbit,
} from '../../testing/run-ambit.ts';

/** A configuration without workspaces: the files to save are those in the answer. */
const withoutWorkspaces = async () => ({
  ...plainConfig,
  workspaces: { ...plainConfig.workspaces, maxPerKey: 0 },
});

/** Runs a line with a client that answers with `outcome` and stores its calls. */
async function run(
  line: string | readonly string[],
  outcome: Outcome,
  { log = '', more, ...around }: CliEnvironment & { log?: string; more?: Partial<ExecuteResult> } = {},
): Promise<CliResult & { calls: unknown[]; closed: number }> {
  const seen = { calls: [] as unknown[], closed: 0 };
  const client: FakeClient = {
    async *stream(skill, input, { signal: _, ...options } = {}) {
      seen.calls.push({ skill, input, ...options });
      yield { kind: 'result', answer: executeAnswer(someResult(outcome, { ...more, log })) };
    },
  };
  const onClosed = () => {
    seen.closed += 1;
  };
  const ran = await runAmbit(line, { client, onClosed, loadConfig: withoutWorkspaces, ...around });
  return { ...ran, ...seen };
}

const done: Outcome = { status: 'succeeded', output: { rows: 1 } };
const listed: Outcome = { status: 'succeeded', output: { exitCode: 0, stdout: 'a\nb', stderr: 'careful\n' } };

describe('the command line becomes the call', () => {
  test('with any arguments after --, and stdin', async () => {
    const { calls } = await run('run x --stdin - -- --json -v a --timeout 5', listed, { stdin: 'text' });
    expect(calls).toEqual([{ skill: 'x', args: ['--json', '-v', 'a', '--timeout', '5'], stdin: 'text' }]);
  });

  test('with fewer readable paths and other limits', async () => {
    const { calls } = await run('run x --read a --read /srv/b/ --timeout 90s --memory 1GiB', done);
    expect(calls).toEqual([
      {
        skill: 'x',
        capabilities: { filesystem: { read: ['/work/a', '/srv/b'] } },
        limits: { timeoutMs: 90_000, memoryBytes: 1024 ** 3 },
      },
    ]);
  });
});

test.each([
  [
    '--file a=../a',
    '--file a=../a: "../a" is not a valid workspace path; write SOURCE=TARGET with a relative target such as data/in.csv',
  ],
  ['--file a --file a', 'two files of --file have the target a; change one with --file SOURCE=TARGET'],
  [
    '--file linked',
    'linked/users is a link that leads out of linked; move it away, or name the other files one by one',
  ],
  ['--file empty', 'the folder empty contains no files'],
])('run x %s is a usage error, and nothing is called', async (files, message) => {
  const cwd = await temporaryFolder({ a: '' });
  await mkdir(join(cwd, 'empty'));
  await mkdir(join(cwd, 'linked'));
  await symlink('/etc/passwd', join(cwd, 'linked/users'));
  expect(await run(`run x ${files}`, listed, { cwd })).toMatchObject({
    calls: [],
    exitCode: 2,
    stdout: '',
    stderr: `ambit: USAGE_INVALID: ${message}\n`,
  });
});

describe('an unreadable input is a usage error, and nothing is called', () => {
  test.each([
    [
      'run x --input -',
      '{"a":',
      /^ambit: USAGE_INVALID: stdin is not valid JSON: unexpected end at line 1, column 6\n$/,
    ],
    [
      'run x --input {text:1}',
      '',
      /^ambit: USAGE_INVALID: --input is not valid JSON: expected a key in double quotes at line 1, column 2\n$/,
    ],
    [
      'run x --input -',
      'x'.repeat(2000),
      /^ambit: USAGE_INVALID: stdin is larger than 1024 bytes, the limit set by bodyLimitBytes in the configuration\n$/,
    ],
    [
      'run x --input no-such-file',
      '',
      /^ambit: USAGE_INVALID: there is no file no-such-file; --input takes JSON such as /,
    ],
    [
      'run x --input - --stdin -',
      '',
      /^ambit: USAGE_INVALID: stdin can be read only once: use a file for --input or --stdin\n$/,
    ],
  ])('%s', async (line, stdin, message) => {
    const { calls, exitCode, stdout, stderr } = await run(line, done, { stdin });
    expect({ calls, exitCode, stdout }).toEqual({ calls: [], exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

describe('the result of a skill is printed', () => {
  const json = { stdin: '{}' };
  test.each<[string, string | string[], Outcome, CliEnvironment & { log?: string }, CliResult]>([
    [
      'JSON on one line for a program',
      'run x --input -',
      done,
      json,
      { exitCode: 0, stdout: '{"rows":1}\n', stderr: '' },
    ],
    [
      'JSON indented on a terminal',
      'run x --input -',
      done,
      { ...json, columns: 80 },
      { exitCode: 0, stdout: '{\n  "rows": 1\n}\n', stderr: '' },
    ],
    [
      'its log to stderr',
      'run x --input -',
      done,
      { ...json, log: 'two rows skipped' },
      { exitCode: 0, stdout: '{"rows":1}\n', stderr: 'two rows skipped\n' },
    ],
    [
      'the streams of a command, unchanged',
      'run x',
      listed,
      { log: 'careful\n' },
      { exitCode: 0, stdout: 'a\nb', stderr: 'careful\n' },
    ],
    [
      'control characters of a command unchanged for a program',
      'run x',
      { status: 'succeeded', output: { exitCode: 0, stdout: '\u001b[2Jx\n', stderr: '' } },
      {},
      { exitCode: 0, stdout: '\u001b[2Jx\n', stderr: '' },
    ],
    [
      'made safe on a terminal',
      'run x',
      { status: 'succeeded', output: { exitCode: 0, stdout: '\u001b[2Jx\n', stderr: '' } },
      { columns: 80 },
      { exitCode: 0, stdout: '\uFFFD[2Jx\n', stderr: '' },
    ],
    [
      'with --json as one complete document',
      'run x --json',
      listed,
      { log: 'careful\n' },
      { exitCode: 0, stdout: `${JSON.stringify(someResult(listed, { log: 'careful\n' }))}\n`, stderr: '' },
    ],
    [
      'with --json also for a failure, with its exit code',
      'run x --json',
      { status: 'timed-out', timeoutMs: 5 },
      {},
      {
        exitCode: 1,
        stdout: `${JSON.stringify(someResult({ status: 'timed-out', timeoutMs: 5 }))}\n`,
        stderr: '',
      },
    ],
  ])('%s', async (_, line, outcome, around, expected) => {
    const { exitCode, stdout, stderr } = await run(line, outcome, around);
    expect({ exitCode, stdout, stderr }).toEqual(expected);
  });
});

describe('a failed call exits with 1 and prints what happened and what to do', () => {
  const remedy = 'To raise it: add to ambit.config.yaml: grants: { x: { limits: { timeoutMs: 2m } } }';
  const more = `Reduce the work. ${remedy}`;
  test.each<[Outcome, stdout: string, stderr: string[]]>([
    [
      { status: 'failed', failure: { exitCode: 2 }, stdout: 'half', stderr: 'no such file\n' },
      'half',
      ['no such file', 'x failed with exit code 2.', 'Its output is above.'],
    ],
    [
      { status: 'failed', failure: { trap: 'unreachable' }, stderr: '' },
      '',
      ['x failed: unreachable.', 'It wrote nothing else.'],
    ],
    [
      { status: 'failed', failure: { signal: 'SIGSEGV' }, stderr: '' },
      '',
      ['x was killed by SIGSEGV.', 'It wrote no reason. Have the skill write the reason to stderr.'],
    ],
    [{ status: 'timed-out', timeoutMs: 50 }, '', ['x was stopped: it exceeded its timeout of 50 ms.', more]],
    [
      { status: 'timed-out', cpuMs: 50 },
      '',
      ['x was stopped: it exceeded its processor time of 50 ms.', more],
    ],
    [
      { status: 'out-of-memory', memoryBytes: 9 },
      '',
      ['x was stopped: it exceeded its memory limit of 9 bytes.', more],
    ],
    [{ status: 'out-of-fuel', fuel: 9 }, '', ['x was stopped: it used up its fuel of 9.', more]],
    [
      { status: 'output-too-large', outputBytes: 9 },
      '',
      ['x was stopped: it exceeded its output limit of 9 bytes.', more],
    ],
    [
      { status: 'output-invalid', detail: 'what the skill wrote to stdout is not JSON', stderr: 'hm' },
      '',
      [
        'hm',
        'x ran, but its result is invalid: what the skill wrote to stdout is not JSON.',
        'Fix the script, or run.output in its ambit.yaml.',
      ],
    ],
    [
      { status: 'capability-violated', capability: 'network', detail: 'evil.example:443' },
      '',
      [
        'x was stopped: it tried to use network, which is not granted: evil.example:443.',
        "To allow this, request it in the skill's ambit.yaml and grant it in the configuration.",
      ],
    ],
    [
      { status: 'canceled', reason: 'the daemon stops' },
      '',
      ['x was canceled: the daemon stops.', 'None of its processes are left.'],
    ],
    [
      { status: 'interrupted' },
      '',
      ['x was interrupted: the daemon crashed during the call.', 'Start the daemon and call again.'],
    ],
  ])('%j', async (outcome, stdout, stderr) => {
    const ran = await run('run x', outcome, { more: 'stdout' in outcome ? {} : { remedy } });
    expect(ran).toEqual({
      ...ran,
      exitCode: 1,
      stdout,
      stderr: [...stderr, 'For its audit record, run: ambit audit show e-1', ''].join('\n'),
    });
  });
});

test('a denial that the error of a module contains is printed once', async () => {
  const remedy = 'grants: { x: { network: ["a.example:80"] } }';
  const denials = [
    { capability: 'network' as const, requested: 'a.example:80', reason: 'is not granted', remedy },
  ];
  const trap = `a.example:80 is not granted. Add to ambit.config.yaml: ${remedy}`;
  const failed: Outcome = { status: 'failed', failure: { trap }, stderr: '' };
  const { stderr } = await run('run x', failed, { more: { denials } });
  expect(stderr.split(remedy)).toHaveLength(2);
});

describe('changed files and denials are printed with what to do', () => {
  const more: Partial<ExecuteResult> = {
    files: [{ path: 'out/a.csv', change: 'created', bytes: 3, content: new Uint8Array(3) }],
    denials: [
      { capability: 'network', requested: 'a.example:80', reason: 'is not granted', remedy: 'grants: {}' },
    ],
  };
  const created = 'created: out/a.csv, 3 bytes\n';
  const unsaved = 'These files were discarded. To save them, add: --save FOLDER\n';
  const refused =
    'Denied during the run: network a.example:80 is not granted. Add to ambit.config.yaml: grants: {}\n';

  test('reports that unsaved files are discarded', async () => {
    const { stderr } = await run('run x', listed, { more });
    expect(stderr).toBe(`${created}${unsaved}${refused}`);
  });

  test('reports that a skill without a workspace has no files to save', async () => {
    const { stderr } = await run('run x --save out', listed);
    expect(stderr).toBe('x has no workspace, so --save has no files to save.\n');
  });

  test('prints the result before it refuses to save over a file', async () => {
    const cwd = await temporaryFolder({ 'out/a.csv': 'old' });
    const { exitCode, stdout, stderr } = await run('run x --save .', listed, { more, cwd });
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 2,
      stdout: (await run('run x', listed, { more })).stdout,
      stderr: `${created}${refused}ambit: USAGE_INVALID: refused to save 1 file (out/a.csv): they exist, and tools could run commands from the new ones. To replace them, add --overwrite, or save into another folder. No file was saved\n`,
    });
  });

  test('refuses --overwrite and --hidden without --save', async () => {
    for (const flag of ['--overwrite', '--hidden'])
      expect(await run(`run x ${flag}`, listed)).toMatchObject({
        exitCode: 2,
        stderr: 'ambit: USAGE_INVALID: --overwrite and --hidden are for --save: add it, or omit them\n',
      });
  });

  test('prints the denied connection of a failed run with its grant', async () => {
    const failed: Outcome = { status: 'failed', failure: { exitCode: 22 }, stdout: '', stderr: '403\n' };
    const { stderr } = await run('run x', failed, { more });
    expect(stderr).toBe(
      `403\nx failed with exit code 22.\nIts output is above.\n${refused}For its audit record, run: ambit audit show e-1\n`,
    );
  });
});

test('a refusal has its code, its reason and the next step', async () => {
  const client: FakeClient = {
    stream: () => {
      throw refused('SANDBOX_UNAVAILABLE', 'bwrap did not start');
    },
  };
  expect(await runAmbit('run x', { client })).toEqual({
    exitCode: 4,
    stdout: '',
    stderr:
      'ambit: SANDBOX_UNAVAILABLE: bwrap did not start\nTo see what is missing and how to fix it, run: ambit doctor\n',
  });
});

test('a daemon that the command started for itself is ended after every call', async () => {
  expect(await run('run x', listed)).toMatchObject({ closed: 1 });
  expect(await run('run x', { status: 'interrupted' })).toMatchObject({ closed: 1 });
});

describe('Ctrl-C cancels the call and ends with 130', () => {
  const interrupted = (line: string): Promise<CliResult> => {
    const signals = new EventEmitter();
    const client: FakeClient = {
      stream: (_skill, _input, { signal } = {}) => {
        expect(signal?.aborted).toBe(false);
        signals.emit('SIGINT');
        throw signal?.reason;
      },
    };
    return runAmbit(line, { signals, client });
  };

  test('without the outcome, because the daemon cannot answer a client that has left', async () => {
    expect(await interrupted('run x')).toEqual({
      exitCode: 130,
      stdout: '',
      stderr: 'x was canceled: interrupted at the command line. To see its record, run: ambit audit\n',
    });
    expect(await interrupted('run x --json')).toEqual({
      exitCode: 130,
      stdout: '',
      stderr:
        '{"error":{"code":"INTERRUPTED","message":"x was canceled: interrupted at the command line. To see its record, run: ambit audit","details":{}}}\n',
    });
  });
});
