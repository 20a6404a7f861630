import { describe, expect, test } from 'vitest';
import type { Grant, RunEvent, RunObserver, RunResult } from '../../packages/core/src/execute.ts';
import type { ExecutorWorld } from './support/behaviour.ts';

/** The guarantees for the observer of a call: the contract of `RunObserver`. */
export function runEventsContract(world: () => ExecutorWorld): void {
  const execute = (
    grant: Grant,
    watch: RunObserver,
    { value = {}, signal = never }: { value?: unknown; signal?: AbortSignal } = {},
  ): Promise<RunResult> => world().executor.execute(grant, { protocol: 'json', value }, signal, watch);

  describe('the observer of a call', () => {
    test("receives the skill's log while it runs", async () => {
      const grant = await world().skill({ logsAndStays: 'working ü 😀' });
      const events: RunEvent[] = [];
      const heard = new AbortController();
      const { outcome, log } = await execute(
        grant,
        (event) => {
          events.push(event);
          heard.abort('heard');
        },
        { signal: heard.signal },
      );
      expect(outcome).toEqual({ status: 'canceled', reason: 'heard' });
      expect({ text: textOf(events), log }).toEqual({ text: 'working ü 😀\n', log: 'working ü 😀\n' });
    });

    test.each([5, 99, 100, 5000])(
      'receives the same %i characters as the log, within the limit',
      async (count) => {
        const events: RunEvent[] = [];
        const grant = await world().skill({ logs: 'x'.repeat(count) }, { outputBytes: 100 });
        const { log } = await execute(grant, (event) => events.push(event));
        expect(textOf(events)).toBe(log);
        expect(log.trim()).toBe('x'.repeat(Math.min(count, 100)));
      },
    );

    test('receives nothing of the output, which is not validated yet', async () => {
      const events: RunEvent[] = [];
      const { outcome } = await execute(await world().skill('echoes'), (event) => events.push(event), {
        value: 'an answer',
      });
      expect({ outcome, events }).toEqual({
        outcome: { status: 'succeeded', output: 'an answer' },
        events: [],
      });
    });

    test('receives the progress, which is not part of the log', async () => {
      const events: RunEvent[] = [];
      const lines = '::progress 1/2 one\nworking\n::progress 2/2 all of ü';
      const { log } = await execute(await world().skill({ logs: lines }), (event) => events.push(event));
      expect({ log, text: textOf(events), last: events.at(-1) }).toEqual({
        log: 'working\n',
        text: 'working\n',
        last: { kind: 'progress', done: 2, total: 2, message: 'all of ü' },
      });
    });

    test('receives nothing after the end', async () => {
      const events: RunEvent[] = [];
      const grant = await world().skill({ logs: 'working' });
      await execute(grant, (event) => events.push(event));
      const before = events.length;
      await execute(grant, () => undefined);
      expect(events.length).toBe(before);
    });
  });
}

const never = new AbortController().signal;

function textOf(events: readonly RunEvent[]): string {
  return events.map((event) => (event.kind === 'log' || event.kind === 'stderr' ? event.text : '')).join('');
}
