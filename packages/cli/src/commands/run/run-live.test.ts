import { AmbitProblem, type CallEvent, type ExecuteAnswer } from '@ambit/client';
import type { Outcome } from '@ambit/core/execute';
import { defined } from '@ambit/core/json';
import { executeAnswer } from '@ambit/server/wire';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { someResult } from '../../../../server/src/testing/some-result.ts';
import {
  type CliEnvironment,
  type CliResult,
  type FakeClient,
  refused,
  runAmbit,
} from '../../testing/run-ambit.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const erased = '\r\u001b[2K';

/** A step of a call: an event, or a wait in milliseconds. */
type Step = CallEvent<ExecuteAnswer> | number;

/** Runs a line with a call that goes through `steps` and ends as `end` says. */
function run(
  line: string,
  steps: readonly Step[],
  end: { outcome: Outcome; log?: string } | AmbitProblem,
  around: CliEnvironment = {},
): Promise<CliResult> {
  const client: FakeClient = {
    async *stream() {
      for (const step of steps) {
        if (typeof step === 'number') vi.advanceTimersByTime(step);
        else yield step;
      }
      if (end instanceof AmbitProblem) throw end;
      yield { kind: 'result', answer: executeAnswer(someResult(end.outcome, end)) };
    },
  };
  return runAmbit(line, { ...around, client });
}

const started: Step = { kind: 'started' };
const log = (text: string): Step => ({ kind: 'stderr', text });
const out = (text: string): Step => ({ kind: 'stdout', text });
const at = (done: number, total: number, message?: string): Step =>
  defined({ kind: 'progress', done, total, message });
const succeeded: Outcome = {
  status: 'succeeded',
  output: { exitCode: 0, stdout: 'one\ntwo\n', stderr: 'careful\nnow' },
};
const command = [started, log('care'), out('one\n'), log('ful\n')];

describe('the output of a skill is printed once', () => {
  test.each<[string, string, CliEnvironment]>([
    ['while the skill runs, with --stream', 'run x --stream', {}],
    ['at the end, without a terminal', 'run x', {}],
    ['while the skill runs, on a terminal', 'run x', { columns: 80 }],
  ])('%s', async (_, line, around) => {
    const ran = await run(line, command, { outcome: succeeded, log: 'careful\nnow' }, around);
    expect(ran).toEqual({ exitCode: 0, stdout: 'one\ntwo\n', stderr: 'careful\nnow\n' });
  });

  test('also for a failed call and a call without further output', async () => {
    const failed: Outcome = {
      status: 'failed',
      failure: { exitCode: 3 },
      stdout: 'one\n',
      stderr: 'careful',
    };
    const ran = await run('run x --stream', [out('one\n'), log('careful')], {
      outcome: failed,
      log: 'careful',
    });
    expect([ran.exitCode, ran.stdout, ran.stderr.split('\n').slice(0, 2)]).toEqual([
      ...[1, 'one\n'],
      ['careful', 'x failed with exit code 3.'],
    ]);
  });

  test('made safe on a terminal', async () => {
    const { stdout, stderr } = await run(
      'run x',
      [out('a\u001b[2Jb'), log('c\rd\n')],
      { outcome: succeeded },
      { columns: 80 },
    );
    expect([stdout.slice(0, 6), stderr]).toEqual(['a\ufffd[2Jb', 'c\ufffdd\n']);
  });

  test('with --json at the end in the document, also on a terminal', async () => {
    const steps = [...command, at(1, 2), 5000];
    const { stdout, stderr } = await run(
      'run x --json',
      steps,
      { outcome: succeeded, log: 'careful\nnow' },
      { columns: 80 },
    );
    expect([JSON.parse(stdout).log, stderr]).toEqual(['careful\nnow', '']);
  });
});

test('--stream with --json is a usage error', async () => {
  const { exitCode, stderr } = await run('run x --stream --json', [], { outcome: succeeded });
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringMatching(/cannot be combined with --stream: omit one of them/),
  ]);
});

describe('the progress line', () => {
  const plain: Outcome = { status: 'succeeded', output: { exitCode: 0, stdout: '', stderr: '' } };

  test('appears on a terminal after one second and disappears at the end', async () => {
    const steps = [at(1, 100, 'words'), 1100, at(2, 100, 'wo\u001brds'), 1000];
    const { stderr } = await run('run x', steps, { outcome: plain }, { columns: 80 });
    expect(stderr).toBe(
      [
        `${erased}x: 1/100 words, 1 s`,
        `${erased}x: 2/100 wo\ufffdrds, 1 s`,
        `${erased}x: 2/100 wo\ufffdrds, 2 s`,
        erased,
      ].join(''),
    );
  });

  test("gives way to the skill's output and waits for the end of its line", async () => {
    const steps = [1100, log('half'), 2000, log(' a line\n'), 1000];
    const { stderr } = await run('run x', steps, { outcome: plain, log: 'half a line\n' }, { columns: 80 });
    expect(stderr).toBe(`${erased}x: 1 s${erased}half a line\n${erased}x: 4 s${erased}`);
  });

  test('is truncated to the width of the terminal', async () => {
    const { stderr } = await run(
      'run x',
      [at(1, 2, 'w'.repeat(100)), 1100],
      { outcome: plain },
      { columns: 20 },
    );
    expect(stderr).toBe(`${erased}x: 1/2 ${'w'.repeat(12)}${erased}`);
  });

  test('does not appear without a terminal', async () => {
    const { stderr } = await run('run x --stream', [at(1, 2), 5000], { outcome: plain });
    expect(stderr).toBe('');
  });

  test('disappears before a refusal is printed', async () => {
    const refusal = refused('OVERLOADED', 'later');
    const { exitCode, stderr } = await run('run x', [1100], refusal, { columns: 80 });
    expect(exitCode).toBe(4);
    expect(stderr.startsWith(`${erased}x: 1 s${erased}ambit: OVERLOADED: later`)).toBe(true);
  });
});
