import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { type Approval, storedApproval } from '../installs/decisions.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { liveDecisions } from './live-decisions.ts';

const approval: Approval = {
  requests: [],
  publisher: null,
  identity: null,
  dependencies: null,
  source: null,
  tier: 'local',
  by: 'operator',
  at: '2026-01-01T00:00:00.000Z',
  sequence: 1,
};

test('a replaced approval lasts until this node has the lock file with the next version, and the approval of a removed skill does not', async () => {
  const store = openSqliteStore(join(await temporaryFolder(), 'store.db'));
  onTestFinished(() => store.close());
  let hasLock = true;
  const decisions = liveDecisions(store);
  const read = () => decisions.read(async () => hasLock);
  const approved = (): string[] => {
    const current = decisions.current();
    return current instanceof Error ? [current.message] : [...current.approvals.keys()];
  };
  await store.run('approve', [
    storedApproval('a', 'first', approval),
    storedApproval('b', 'first', approval),
  ]);
  expect([await read(), approved()]).toEqual([true, ['a first', 'b first']]);

  hasLock = false;
  await store.run('approve', [storedApproval('a', 'second', approval)]);
  await store.run('disapprove', [
    { id: 'a', keep: 'second' },
    { id: 'b', keep: null },
  ]);
  expect([await read(), approved()]).toEqual([true, ['a first', 'a second']]);
  expect([await read(), approved()]).toEqual([false, ['a first', 'a second']]);

  hasLock = true;
  expect([await read(), approved()]).toEqual([true, ['a second']]);
  expect([await read(), approved()]).toEqual([false, ['a second']]);
});

test('an approval with an end lasts until then, also while the store cannot be read, and then is among the expired ones', async () => {
  const store = openSqliteStore(join(await temporaryFolder(), 'store.db'));
  let now = Date.parse('2026-06-01T00:00:00.000Z');
  const decisions = liveDecisions(store, () => now);
  const keys = (): unknown => {
    const current = decisions.current();
    return current instanceof Error ? current : [[...current.approvals.keys()], [...current.expired.keys()]];
  };
  const until = '2026-07-01T00:00:00.000Z';
  await store.run('approve', [
    storedApproval('a', 'first', approval),
    storedApproval('b', 'first', { ...approval, until }),
  ]);
  expect([await decisions.read(), keys()]).toEqual([true, [['a first', 'b first'], []]]);
  now = Date.parse(until) - 1;
  expect([await decisions.read(), keys()]).toEqual([false, [['a first', 'b first'], []]]);
  await store.close();
  now += 1;
  expect([await decisions.read(), keys()]).toEqual([true, [['a first'], ['b first']]]);
  expect([await decisions.read(), keys()]).toEqual([false, [['a first'], ['b first']]]);
});
