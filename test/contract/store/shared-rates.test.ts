// Threat model: T352

import { describe, expect, test } from 'vitest';
import { type SharedRates, sharedRates } from '../../../packages/server/src/store/testing/databases.ts';
import {
  openPostgres,
  openTransactions,
  postgresDatabase,
  socketVariable,
  steps,
} from '../../../packages/server/src/store/testing/postgres-databases.ts';

/** Two nodes in one database, with a clock of their own that only the test moves. */
async function twoNodes() {
  const settings = await postgresDatabase();
  const store = openPostgres(settings, 'beside');
  const run = store.run as (...given: unknown[]) => Promise<unknown>;
  let [time, queries, isAway] = [0, 0, false];
  const counted = {
    run: ((...given: unknown[]) => {
      queries += 1;
      return isAway ? Promise.reject(new Error('the database is away')) : run(...given);
    }) as typeof store.run,
  };
  const transactions = openTransactions(settings);
  return {
    nodes: [sharedRates(counted, () => time), sharedRates(counted, () => time)] as const,
    queries: () => queries,
    pass: async (ms: number) => {
      time += ms;
      await transactions.run(() => steps(['UPDATE rates SET at = at - ?', ms]));
    },
    endDatabase: () => {
      isAway = true;
    },
  };
}

const ask = async (node: SharedRates, perMinute: number): Promise<number> =>
  node.take('bot', perMinute) ?? node.borrow('bot', perMinute);

describe.runIf(process.env[socketVariable] !== undefined)('a rate that nodes share', () => {
  test('is a burst of one minute for all of them together, and is refilled', async () => {
    const { nodes, pass } = await twoNodes();
    const accepted = async (count: number) => {
      const asked = Array.from({ length: count }, (_, index) => ask(nodes[index % 2] as SharedRates, 5));
      return (await Promise.all(asked)).filter((waitMs) => waitMs === 0).length;
    };
    expect(await accepted(20)).toBe(5);
    expect(await accepted(20)).toBe(0);
    await pass(24_000);
    expect(await accepted(20)).toBe(2);
    await pass(600_000);
    expect(await accepted(20)).toBe(5);
  });

  test('is borrowed for a second in one query', async () => {
    const { nodes, queries } = await twoNodes();
    const [node] = nodes;
    for (let count = 0; count < 20; count += 1) expect(await ask(node, 600)).toBe(0);
    expect(queries()).toBe(2);
  });

  test('says when the next request is accepted, and does not ask again before', async () => {
    const { nodes, queries, pass } = await twoNodes();
    const [node] = nodes;
    for (let count = 0; count < 4; count += 1) expect(await ask(node, 4)).toBe(0);
    const waitMs = await ask(node, 4);
    expect(waitMs).toBeGreaterThan(1000);
    const before = queries();
    expect(await ask(node, 4)).toBe(waitMs);
    expect(queries()).toBe(before);
    await pass(waitMs);
    expect(await ask(node, 4)).toBe(0);
  });

  test('allows what a node has borrowed while the database is away, and refuses the next request', async () => {
    const { nodes, endDatabase } = await twoNodes();
    const [node] = nodes;
    expect(await ask(node, 180)).toBe(0);
    endDatabase();
    expect([await ask(node, 180), await ask(node, 180)]).toEqual([0, 0]);
    await expect(ask(node, 180)).rejects.toThrow('the database is away');
  });
});
