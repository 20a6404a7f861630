import { describe, expect, test } from 'vitest';
import type { Grant, RunResult } from '../../packages/core/src/execute.ts';
import type { RunEvent, RunObserver } from '../../packages/core/src/internal.ts';
import type { ExecutorWorld } from './support/behaviour.ts';

/** What whoever watches a call may rely on: the part of the contract on `RunWatch`. */
export function toldContract(world: () => ExecutorWorld): void {
  const execute = (
    grant: Grant,
    watch: RunObserver,
    { value = {}, signal = never }: { value?: unknown; signal?: AbortSignal } = {},
  ): Promise<RunResult> => world().executor.execute(grant, { protocol: 'json', value }, signal, watch);

  describe('whoever watches a call is told', () => {
    test('what the skill logs while it runs', async () => {
      const grant = await world().skill({ logsAndStays: 'working ü 😀' });
      const told: RunEvent[] = [];
      const heard = new AbortController();
      const { outcome, log } = await execute(
        grant,
        (event) => {
          told.push(event);
          heard.abort('heard');
        },
        { signal: heard.signal },
      );
      expect(outcome).toEqual({ status: 'canceled', reason: 'heard' });
      expect({ told: textOf(told), log }).toEqual({ told: 'working ü 😀\n', log: 'working ü 😀\n' });
    });

    test.each([5, 99, 100, 5000])('of %i characters of it what the log has, and no more', async (count) => {
      const told: RunEvent[] = [];
      const grant = await world().skill({ logs: 'x'.repeat(count) }, { outputBytes: 100 });
      const { log } = await execute(grant, (event) => told.push(event));
      expect(textOf(told)).toBe(log);
      expect(log.trim()).toBe('x'.repeat(Math.min(count, 100)));
    });

    test('nothing of its answer, which nobody has checked yet', async () => {
      const told: RunEvent[] = [];
      const { outcome } = await execute(await world().skill('echoes'), (event) => told.push(event), {
        value: 'an answer',
      });
      expect({ outcome, told }).toEqual({ outcome: { status: 'succeeded', output: 'an answer' }, told: [] });
    });

    test('how far it is, and that is no part of the log', async () => {
      const told: RunEvent[] = [];
      const lines = '::progress 1/2 one\nworking\n::progress 2/2 all of ü';
      const { log } = await execute(await world().skill({ logs: lines }), (event) => told.push(event));
      expect({ log, text: textOf(told), last: told.at(-1) }).toEqual({
        log: 'working\n',
        text: 'working\n',
        last: { kind: 'progress', done: 2, total: 2, message: 'all of ü' },
      });
    });

    test('nothing after its end', async () => {
      const told: RunEvent[] = [];
      const grant = await world().skill({ logs: 'working' });
      await execute(grant, (event) => told.push(event));
      const before = told.length;
      await execute(grant, () => undefined);
      expect(told.length).toBe(before);
    });
  });
}

const never = new AbortController().signal;

function textOf(told: readonly RunEvent[]): string {
  return told.map((event) => (event.kind === 'log' || event.kind === 'stderr' ? event.text : '')).join('');
}
