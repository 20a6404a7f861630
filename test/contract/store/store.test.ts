import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  databases,
  emptyStore,
  pieceBytesMax,
} from '../../../packages/server/src/store/testing/databases.ts';

describe.each(databases)('the store in $name', (database) => {
  test('opens an empty database, and the same database again', async () => {
    const { open } = await database.create();
    await (await open()).close();
    expect(await (await open()).run('probe')).toBeUndefined();
  });

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

  test.each([0, 1, pieceBytesMax, pieceBytesMax + 1, 16 * 2 ** 20])(
    'returns a file and a response of %i bytes unchanged',
    async (size) => {
      const store = await emptyStore(database);
      const bytes = randomBytes(size);
      const claim = { name: 'n', owner: 'o', executionId: 'e', fingerprint: 'f', claimedAt: 1 };
      await store.run('addContents', 'w', [{ sha256: 'd', content: bytes }]);
      await store.run('claim', claim, 0);
      await store.run('storeResponse', 'n', 'e', { head: '{}', body: bytes });
      const content = await store.run('workspaceContent', 'w', 'd');
      const { body, ...found } = (await store.run('findClaim', 'n', 0)) ?? { body: null };
      expect([content, body].map((each) => each && bytes.equals(each))).toEqual([true, true]);
      expect(found).toEqual({ executionId: 'e', fingerprint: 'f', head: '{}' });
    },
  );
});
