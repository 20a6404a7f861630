// Threat model: T215

import { expect, onTestFinished, test } from 'vitest';
import { checkingThread } from './checking-thread.ts';

test('sends a schema again that the thread has dropped from its cache', async () => {
  const thread = checkingThread(10_000);
  onTestFinished(() => thread.close());
  // Each takes a third of the cache.
  const schemas = [1, 2, 3, 4].map((minimum) => ({ minimum, examples: Array<number>(33_000).fill(0) }));
  const issuesOf = (value: number) => Promise.all(schemas.map((schema) => thread.check(schema, value)));
  const expected = [
    ...[1, 2, 3].map(() => []),
    [{ at: '', keyword: 'minimum', message: 'must be at least 4' }],
  ];
  for (let round = 0; round < 3; round += 1) expect(await issuesOf(3)).toEqual(expected);
});

test('a check on a busy machine has all of its processor time, however long that takes', async () => {
  // The processor time of a process that waits for processors all the time.
  const [patient, strict] = [checkingThread(20, () => 0), checkingThread(20)];
  onTestFinished(async () => {
    await Promise.all([patient.close(), strict.close()]);
  });
  const [schema, value] = [{ pattern: '^(a+)+$' }, `${'a'.repeat(24)}!`];
  const issue = { at: '', keyword: 'pattern', message: 'must match the pattern ^(a+)+$' };
  expect(await patient.check(schema, value)).toEqual([issue]);
  await expect(strict.check(schema, value)).rejects.toThrow('took longer than 20 ms');
});
