import { expect, test } from 'vitest';
import { refCounted, withLease } from './ref-counted.ts';

function world() {
  const happened: string[] = [];
  let count = 0;
  const it = refCounted(
    () => {
      count += 1;
      happened.push(`made ${count}`);
      return count;
    },
    async (made) => void happened.push(`closed ${made}`),
  );
  return { it, happened };
}

test('makes the value once and keeps it open until it is retired', async () => {
  const { it, happened } = world();
  expect([await withLease(it, async (made) => made), await withLease(it, async (made) => made)]).toEqual([
    1, 1,
  ]);
  expect(happened).toEqual(['made 1']);
});

test('closes a retired value after its last use', async () => {
  const { it, happened } = world();
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const uses = [withLease(it, () => first.promise), withLease(it, () => second.promise)];
  it.retire();
  first.resolve();
  await uses[0];
  expect(happened).toEqual(['made 1']);
  second.resolve();
  await uses[1];
  expect(happened).toEqual(['made 1', 'closed 1']);
});

test('makes a new value for use after closing, and closes it afterwards', async () => {
  const { it, happened } = world();
  it.retire();
  expect(await withLease(it, async (made) => made)).toBe(2);
  expect(happened).toEqual(['made 1', 'closed 1', 'made 2', 'closed 2']);
});

test('releases the value if a task fails, and rejects with the error', async () => {
  const { it, happened } = world();
  const failed = withLease(it, () => Promise.reject(new Error('no')));
  it.retire();
  await expect(failed).rejects.toThrow('no');
  await it.close();
  expect(happened).toEqual(['made 1', 'closed 1']);
});
