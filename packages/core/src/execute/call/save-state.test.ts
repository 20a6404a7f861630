import { expect, test } from 'vitest';
import type { Outcome } from '../../outcome/outcome.ts';
import { usedNothing } from '../../outcome/used.ts';
import type { RunResult } from '../executor/executor.ts';
import { StateError } from '../executor/skill-state.ts';
import { saveState } from './save-state.ts';

const succeeded: Outcome = { status: 'succeeded', output: 1 };

/** A run that changed a key, and the number of saves. */
function changed(save: () => Promise<void> = async () => undefined): { run: RunResult; saves: () => number } {
  let saves = 0;
  const run: RunResult = {
    outcome: succeeded,
    usage: { durationMs: 1, cpuMs: null, memoryPeakBytes: null, fuelConsumed: null },
    log: 'a line',
    used: usedNothing,
    sandbox: 'none',
    state: {
      keys: 1,
      save: () => {
        saves++;
        return save();
      },
    },
  };
  return { run, saves: () => saves };
}

test.each<Outcome>([
  { status: 'failed', failure: { exitCode: 1 }, stderr: '' },
  { status: 'output-invalid', detail: 'not what the schema says', stderr: '' },
  { status: 'timed-out', timeoutMs: 1 },
  { status: 'canceled', reason: 'gone' },
])('does not save the state of a run that ended as $status', async (outcome) => {
  const { run, saves } = changed();
  expect([await saveState(outcome, run), saves()]).toEqual([outcome, 0]);
});

test('returns output-invalid with the reason if the store refuses the state', async () => {
  const { run } = changed(() => Promise.reject(new StateError('a skill may store at most 1000 keys')));
  expect(await saveState(succeeded, run)).toEqual({
    status: 'output-invalid',
    detail: 'the state was not saved: a skill may store at most 1000 keys; remove or shorten keys and values',
    stderr: 'a line',
  });
});
