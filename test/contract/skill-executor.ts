import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Grant, Outcome, RunResult } from '../../packages/core/src/execute.ts';
import { SkillError } from '../../packages/core/src/index.ts';
import type { Usage } from '../../packages/core/src/outcome.ts';
import { isWhole } from '../support/whole.ts';
import { runEventsContract } from './run-events.ts';
import type { Behaviour, ExecutorWorld } from './support/behaviour.ts';

const MiB = 1024 * 1024;
const never = new AbortController().signal;

/**
 * The guarantees of a `SkillExecutor` to its callers, in every runtime. `open` creates an
 * executor with skills for it. `beyond` lists behaviours that its skills cannot have.
 */
export function skillExecutorContract(
  name: string,
  open: () => ExecutorWorld | Promise<ExecutorWorld>,
  beyond: readonly Behaviour[] = [],
): void {
  let world: ExecutorWorld;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world.close());

  const skill: ExecutorWorld['skill'] = (...of) => world.skill(...of);
  const execute = (grant: Grant, value: unknown = {}, signal: AbortSignal = never): Promise<RunResult> =>
    world.executor.execute(grant, { protocol: 'json', value }, signal);
  const outcomeOf = async (...call: Parameters<typeof execute>): Promise<Outcome> =>
    (await execute(...call)).outcome;
  const echoed = (output: unknown): Outcome => ({ status: 'succeeded', output });

  describe(`the executor ${name}`, () => {
    describe('input and output as JSON', () => {
      test.each<[string, unknown]>([
        ['null', null],
        ['a boolean', false],
        ['numbers', [0, -1, 1.5e-7, Number.MAX_SAFE_INTEGER]],
        ['an empty text', ''],
        ['an empty object', {}],
        ['text of characters of every byte length', 'a ü € 😀 \u0000 \u2028 "quoted" \\ \n'],
        ['half of a surrogate pair', '\ud83d'],
        ['names with a meaning in JavaScript', JSON.parse('{"__proto__":{"a":1},"constructor":2,"":3}')],
        ['a deep value', JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`)],
      ])('passes %s as the input and as the output', async (_, value) => {
        const outcome = await outcomeOf(await skill('echoes'), value);
        // As text, because comparing values overlooks some names.
        expect(JSON.stringify(outcome)).toBe(JSON.stringify(echoed(value)));
      });

      test('passes four megabytes as the input and as the output', async () => {
        const value = ['ü'.repeat(2 * MiB)];
        expect(await outcomeOf(await skill('echoes', { outputBytes: 5 * MiB }), value)).toEqual(
          echoed(value),
        );
      });

      test('does not change the input', async () => {
        const value = Object.freeze({ list: Object.freeze([1, 2]) });
        expect(await outcomeOf(await skill('echoes'), value)).toEqual(echoed({ list: [1, 2] }));
      });
    });

    test('accepts a skill that never reads a large input', async () => {
      expect(await outcomeOf(await skill({ answersBytes: 3 }), 'x'.repeat(4 * MiB))).toEqual(echoed('x'));
    });

    test.each([100, 4 * MiB])(
      'accepts an output of exactly %i bytes and refuses one byte more',
      async (bytes) => {
        const fits = await skill({ answersBytes: bytes }, { outputBytes: bytes });
        expect(await outcomeOf(fits)).toEqual(echoed('x'.repeat(bytes - 2)));
        const over = await skill({ answersBytes: bytes + 1 }, { outputBytes: bytes });
        expect(await outcomeOf(over)).toEqual({ status: 'output-too-large', outputBytes: bytes });
      },
    );

    const invalid: Behaviour[] = ['answers nothing', 'answers no JSON', 'answers no UTF-8'];
    test.each(invalid.filter((behaviour) => !beyond.includes(behaviour)))(
      'reports why the output of a skill that %s is invalid',
      async (behaviour) => {
        expect(await outcomeOf(await skill(behaviour))).toEqual({
          status: 'output-invalid',
          detail: expect.stringMatching(/./),
          stderr: '',
        });
      },
    );

    describe('plain text', () => {
      const text = { input: 'text', output: 'text' } as const;

      test.each(['', 'no "JSON" at all', 'ü € 😀 \u2028\r\n', '\ufeffmarked', '{"a":1}'])(
        'passes %j unchanged in both directions',
        async (value) => {
          expect(await outcomeOf(await skill('echoes', {}, text), value)).toEqual(echoed(value));
        },
      );

      test('adds quotes to an input without input: text', async () => {
        const outcome = await outcomeOf(await skill('echoes', {}, { output: 'text' }), 'a word');
        expect(outcome).toEqual(echoed(beyond.includes('answers no JSON') ? 'a word' : '"a word"'));
      });

      test.runIf(!beyond.includes('answers no UTF-8'))('refuses bytes that are not UTF-8', async () => {
        expect(await outcomeOf(await skill('answers no UTF-8', {}, text), '')).toEqual({
          status: 'output-invalid',
          detail: expect.stringMatching(/UTF-8|encoded data/),
          stderr: '',
        });
      });
    });

    test('reports the message of a skill that fails', async () => {
      const outcome = await outcomeOf(await skill({ fails: 'no such column: ü' }));
      expect({ status: outcome.status, said: messageOf(outcome) }).toEqual({
        status: 'failed',
        said: expect.stringMatching(/^(Error: )?no such column: ü$/m),
      });
    });

    test('reports a crash as a failure, and the next call is unaffected', async () => {
      expect((await outcomeOf(await skill('crashes'))).status).toBe('failed');
      expect(await outcomeOf(await skill('echoes'), 1)).toEqual(echoed(1));
    });

    test('records what a skill writes besides its output as its log', async () => {
      const { log, outcome } = await execute(await skill({ logs: 'working ü' }));
      expect({ log: log.trim(), outcome }).toEqual({ log: 'working ü', outcome: echoed(1) });
    });

    test('limits the log like the output', async () => {
      const { log } = await execute(await skill({ logs: 'x'.repeat(5000) }, { outputBytes: 100 }));
      expect({ bytes: log.length, text: new Set(log.trim()) }).toEqual({ bytes: 100, text: new Set('x') });
    });

    runEventsContract(() => world);

    describe('ends of a run', () => {
      test('ends a run at its deadline, which the outcome names', async () => {
        const grant = await skill('never ends', { timeoutMs: 250 });
        expect(await outcomeOf(grant)).toEqual({ status: 'timed-out', timeoutMs: 250 });
      });

      test('ends a run at its deadline, with a large input still unread', async () => {
        const grant = await skill('never ends', { timeoutMs: 250 });
        expect(await outcomeOf(grant, 'x'.repeat(4 * MiB))).toEqual({ status: 'timed-out', timeoutMs: 250 });
      });

      test.each([0, 1, 3, 10, 30, 100, 300])('ends a run when its caller cancels after %i ms', async (ms) => {
        const outcome = await outcomeOf(await skill('never ends'), {}, abortedAfter(ms, new Error('gone')));
        expect(outcome).toEqual({ status: 'canceled', reason: 'gone' });
      });

      test('ends a run when its caller cancels before it starts', async () => {
        const { outcome, usage } = await execute(await skill('echoes'), {}, AbortSignal.abort('too late'));
        expect(outcome).toEqual({ status: 'canceled', reason: 'too late' });
        expect(usage).toEqual(noUsage);
      });

      test("ends a run at its caller's deadline, reported as a cancellation", async () => {
        const outcome = await outcomeOf(await skill('never ends'), {}, AbortSignal.timeout(100));
        expect(outcome).toEqual({ status: 'canceled', reason: expect.stringMatching(/timeout/) });
      });
    });

    test('reports the deadline if that is the first reason', async () => {
      const grant = await skill('never ends', { timeoutMs: 200 });
      const outcome = await outcomeOf(grant, {}, abortedAfter(60_000, new Error('gone')));
      expect(outcome).toEqual({ status: 'timed-out', timeoutMs: 200 });
    });

    test("reports the caller's first reason if that is the first", async () => {
      const controller = new AbortController();
      setTimeout(() => controller.abort('first'), 100);
      setTimeout(() => controller.abort('second'), 101);
      const outcome = await outcomeOf(
        await skill('never ends', { timeoutMs: 60_000 }),
        {},
        controller.signal,
      );
      expect(outcome).toEqual({ status: 'canceled', reason: 'first' });
    });

    test('reports one of two simultaneous reasons, never a third', async () => {
      const grant = await skill('never ends', { timeoutMs: 60 });
      for (let time = 50; time < 70; time += 2) {
        expect(await outcomeOf(grant, {}, abortedAfter(time, 'gone'))).toBeOneOf([
          { status: 'timed-out', timeoutMs: 60 },
          { status: 'canceled', reason: 'gone' },
        ]);
      }
    });

    test('is unaffected by canceling a call that has ended', async () => {
      const controller = new AbortController();
      const grant = await skill('echoes');
      const ended = await execute(grant, 'before', controller.signal);
      controller.abort(new Error('gone'));
      expect(ended.outcome).toEqual(echoed('before'));
      expect(await outcomeOf(grant, 'after')).toEqual(echoed('after'));
    });

    test('leaves no listeners on a signal that outlives its calls', async () => {
      const { signal } = new AbortController();
      const grant = await skill('echoes');
      for (let call = 0; call < 20; call++) await execute(grant, call, signal);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });

    describe('usage', () => {
      test.each<[Outcome['status'], Behaviour]>([
        ['succeeded', 'echoes'],
        ['failed', { fails: 'no' }],
        ['timed-out', 'never ends'],
        ['output-invalid', beyond.includes('answers nothing') ? 'answers no JSON' : 'answers nothing'],
      ])('reports the usage of a run that %s as measured or null', async (status, behaviour) => {
        const grant = await skill(behaviour, status === 'timed-out' ? { timeoutMs: 1000 } : {});
        const startedAt = performance.now();
        const { outcome, usage } = await execute(grant);
        const waitedMs = performance.now() - startedAt;
        expect(outcome.status).toBe(status);
        expect(usage).toEqual(someUsage);
        expect(usage.durationMs).toBeLessThanOrEqual(waitedMs);
        // Timers may fire a millisecond early.
        if (status === 'timed-out') expect(usage.durationMs).toBeGreaterThanOrEqual(999);
      });
    });

    test('names the sandbox of a run', async () => {
      expect((await execute(await skill('echoes'))).sandbox).toMatch(/./);
    });

    describe('two calls', () => {
      test('isolates what two calls write, sequential or concurrent', async () => {
        const grant = await skill('leaves a mark');
        expect(await outcomeOf(grant)).toEqual(echoed(false));
        expect(await outcomeOf(grant)).toEqual(echoed(false));
        expect(await Promise.all([outcomeOf(grant), outcomeOf(grant)])).toEqual([
          echoed(false),
          echoed(false),
        ]);
      });

      test('isolates the inputs and outputs of concurrent calls', async () => {
        const grant = await skill('echoes');
        const values = Array.from({ length: 8 }, (_, call) => ({ call, text: `${call}`.repeat(50_000) }));
        expect(await Promise.all(values.map((value) => outcomeOf(grant, value)))).toEqual(values.map(echoed));
      });

      test('isolates concurrent calls, however one of them ends', async () => {
        const canceled = new AbortController();
        const [running, timedOut, crashed, tooLarge, answered] = await Promise.all([
          skill('never ends').then((grant) => outcomeOf(grant, {}, canceled.signal)),
          outcomeOf(await skill('never ends', { timeoutMs: 300 })),
          outcomeOf(await skill('crashes')),
          outcomeOf(await skill({ answersBytes: 101 }, { outputBytes: 100 })),
          skill('echoes')
            .then(async (grant) => [await outcomeOf(grant, 1), await outcomeOf(grant, 2)])
            .finally(() => canceled.abort('enough')),
        ]);
        expect({ running, timedOut, crashed: crashed.status, tooLarge, answered }).toEqual({
          running: { status: 'canceled', reason: 'enough' },
          timedOut: { status: 'timed-out', timeoutMs: 300 },
          crashed: 'failed',
          tooLarge: { status: 'output-too-large', outputBytes: 100 },
          answered: [echoed(1), echoed(2)],
        });
      });
    });

    test('answers each of many sequential calls', async () => {
      const grant = await skill('echoes');
      const outcomes: Outcome[] = [];
      for (let call = 0; call < (isWhole ? 100 : 15); call++) outcomes.push(await outcomeOf(grant, { call }));
      expect(outcomes).toEqual(outcomes.map((_, call) => echoed({ call })));
    });

    describe('a call that cannot start', () => {
      test('rejects a call that cannot start with a SkillError, and the next call works', async () => {
        const refusal = await execute(await skill('cannot start')).catch((error: unknown) => error);
        expect(refusal).toBeInstanceOf(SkillError);
        expect((refusal as SkillError).code).toMatch(/^SKILL_(INVALID|CHANGED)$/);
        expect(await outcomeOf(await skill('echoes'), 1)).toEqual(echoed(1));
      });

      test('rejects a call that cannot start every time, and beside calls that work', async () => {
        const [broken, sound] = [await skill('cannot start'), await skill('echoes')];
        const settled = await Promise.allSettled(
          [broken, sound, broken, sound].map((grant, call) => outcomeOf(grant, call)),
        );
        expect(settled).toEqual([
          { status: 'rejected', reason: expect.any(SkillError) },
          { status: 'fulfilled', value: echoed(1) },
          { status: 'rejected', reason: expect.any(SkillError) },
          { status: 'fulfilled', value: echoed(3) },
        ]);
      });
    });
  });
}

type RunUsage = Omit<Usage, 'queueMs'>;

const measured = expect.toSatisfy((value) => Number.isFinite(value) && value >= 0);
const measuredOrNull = expect.toSatisfy((value) => value === null || (Number.isFinite(value) && value >= 0));

const someUsage: RunUsage = {
  durationMs: measured,
  cpuMs: measuredOrNull,
  memoryPeakBytes: measuredOrNull,
  fuelConsumed: measuredOrNull,
};

const zeroOrNull = expect.toBeOneOf([0, null]);

/** A run canceled before it started. */
const noUsage: RunUsage = {
  durationMs: measured,
  cpuMs: zeroOrNull,
  memoryPeakBytes: zeroOrNull,
  fuelConsumed: zeroOrNull,
};

/** The message of a failed skill, from where its runtime reports it. */
function messageOf(outcome: Outcome): string | undefined {
  if (outcome.status !== 'failed') return undefined;
  return 'trap' in outcome.failure ? outcome.failure.trap : outcome.stderr;
}

function abortedAfter(ms: number, reason: unknown): AbortSignal {
  const controller = new AbortController();
  // A run that ends earlier does not wait for it.
  setTimeout(() => controller.abort(reason), ms).unref();
  return controller.signal;
}
