// Threat model: T262

import { chmod } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { randomNumbers } from '../../soak/random-numbers.ts';
import { type FaultyCalls, faultyCalls } from '../../support/faults/faulty-calls.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { isWhole } from '../../support/whole.ts';

// Each test starts daemons of its own, which it kills and stops. `npm run test:all -- call-faults` tries every step.
const seed = Date.now() % 1_000_000;
const random = randomNumbers(seed);
const upTo = (steps: number): number => 1 + Math.floor(random() * steps);
/** Programs take many steps, most of them to start. */
const strides = isWhole
  ? { answers: 2, writes: 49, keyed: 49, stays: 49 }
  : { answers: 9, writes: 299, keyed: 299, stays: 299 };

test('a call whose daemon is killed at any await leaves no effect or answer without a record, and no process', async () => {
  const calls = await open();
  await calls.kill('answers', upTo(40));
  await calls.kill('keyed', upTo(900));
  await calls.kill('stays', upTo(900));
  await expectNothingWrong(calls);
});

test('a call that is canceled or whose log fails at any await leaves no effect or answer without a record, and ends', async () => {
  const calls = await open();
  for (const kind of ['answers', 'writes', 'stays'] as const)
    await calls.disturb(kind, 'canceled', { first: upTo(strides[kind]), stride: strides[kind] });
  for (const kind of ['answers', 'writes', 'keyed'] as const)
    await calls.disturb(kind, 'log unwritable', { first: upTo(strides[kind]), stride: strides[kind] });
  await calls.lockLog(['answers', 'writes', 'keyed']);
  await expectNothingWrong(calls);
});

async function open(): Promise<FaultyCalls> {
  const folder = await temporaryFolder();
  await chmod(folder, 0o755);
  const calls = await faultyCalls(folder);
  onTestFinished(() => calls.close());
  return calls;
}

async function expectNothingWrong(calls: FaultyCalls): Promise<void> {
  const { wrong, answered, ran } = await calls.check();
  expect({ seed, wrong }).toEqual({ seed, wrong: [] });
  // Without an answer or an effect the test would prove nothing.
  expect([answered > 0, ran > 0]).toEqual([true, true]);
}
