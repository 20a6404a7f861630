import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { stepsOf } from '../operations.ts';
import { databases, emptyStore } from '../testing/databases.ts';
import { openTransactions, postgresDatabase, socketVariable } from '../testing/postgres-databases.ts';
import { pieceBytesMax } from './pieces.ts';

describe.each(databases)('the store in $name', (database) => {
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
      expect(found).toEqual({ executionId: 'e', fingerprint: 'f', node: null, epoch: null, head: '{}' });
    },
  );
});

test.runIf(process.env[socketVariable] !== undefined)(
  'PostgreSQL returns a large value in rows of at most 2 MiB',
  async () => {
    const transactions = openTransactions(await postgresDatabase());
    const bytes = Buffer.alloc(5 * 2 ** 20 + 1, 'bytes');
    await transactions.run(() => stepsOf('addContents', ['w', [{ sha256: 'd', content: bytes }]]));
    const sizes: number[] = [];
    const content = await transactions.run(function* () {
      const reading = stepsOf('workspaceContent', ['w', 'd']);
      let step = reading.next();
      while (!step.done) {
        const rows = yield step.value;
        sizes.push(...rows.map(({ piece }) => (piece as Uint8Array).length));
        step = reading.next(rows);
      }
      return step.value as Uint8Array;
    });
    expect(bytes.equals(content)).toBe(true);
    expect(sizes).toEqual([2 * 2 ** 20, 2 * 2 ** 20, 2 ** 20 + 1]);
  },
);
