import { describe, expect, test } from 'vitest';
import { databases, emptyStore } from '../../../packages/server/src/store/testing/databases.ts';

describe.each(databases)('the store in $name', (database) => {
  test('is refused after it was closed', async () => {
    const store = await emptyStore(database);
    await store.close();
    await expect(store.run('probe')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(
        /^the store .* cannot be used: it is closed because Ambit is shutting down$/,
      ),
    });
  });

  test('finishes what was asked before it was closed', async () => {
    const store = await emptyStore(database);
    const asked = Array.from({ length: 20 }, () => store.run('probe'));
    await store.close();
    expect(await Promise.all(asked)).toEqual(asked.map(() => undefined));
  });
});
