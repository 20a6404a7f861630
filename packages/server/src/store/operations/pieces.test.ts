import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { stepsOf } from '../operations.ts';
import { databases, emptyStore } from '../testing/databases.ts';
import { openTransactions, postgresDatabase, socketVariable } from '../testing/postgres-databases.ts';
import { pieceBytesMax } from './pieces.ts';

describe.each(databases)('the store in $name', (database) => {
  test.each([0, 1, pieceBytesMax, pieceBytesMax + 1, 16 * 2 ** 20])(
    'returns a response of %i bytes unchanged',
    async (size) => {
      const store = await emptyStore(database);
      const bytes = randomBytes(size);
      const claim = { name: 'n', owner: 'o', executionId: 'e', fingerprint: 'f', claimedAt: 1 };
      await store.run('claim', claim, 0);
      await store.run('storeResponse', 'n', 'e', { head: '{}', body: bytes });
      const { body, ...found } = (await store.run('findClaim', 'n', 0)) ?? { body: null };
      expect(body && bytes.equals(body)).toBe(true);
      expect(found).toEqual({ executionId: 'e', fingerprint: 'f', node: null, epoch: null, head: '{}' });
    },
  );
});

test.runIf(process.env[socketVariable] !== undefined)(
  'PostgreSQL returns a large value in rows of at most 2 MiB',
  async () => {
    const transactions = openTransactions(await postgresDatabase());
    const bytes = Buffer.alloc(5 * 2 ** 20 + 1, 'bytes');
    const claim = { name: 'n', owner: 'o', executionId: 'e', fingerprint: 'f', claimedAt: 1 };
    await transactions.run(() => stepsOf('claim', [claim, 0]));
    await transactions.run(() => stepsOf('storeResponse', ['n', 'e', { head: '{}', body: bytes }]));
    const sizes: number[] = [];
    const { body } = await transactions.run(function* () {
      const reading = stepsOf('findClaim', ['n', 0]);
      let step = reading.next();
      while (!step.done) {
        const rows = yield step.value;
        sizes.push(...rows.map(({ piece }) => (piece as Uint8Array).length));
        step = reading.next(rows);
      }
      return step.value as { body: Uint8Array };
    });
    expect(bytes.equals(body)).toBe(true);
    expect(sizes).toEqual([2 * 2 ** 20, 2 * 2 ** 20, 2 ** 20 + 1]);
  },
);
