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
