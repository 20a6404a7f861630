import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { StoredNode } from '../../store/operations/nodes.ts';
import type { Store } from '../../store/store.ts';
import type { NodeIdentity } from '../identity/node-files.ts';
import { joinCluster } from './membership.ts';

const leaseMs = 1000;
const stored: StoredNode = {
  id: 1,
  name: 'a',
  advertise: '127.0.0.1:1',
  state: 'active',
  version: '1.0.0',
  epoch: 1,
  instance: null,
  leaseUntil: 0,
  joinedAt: 0,
  now: 0,
  unreachable: '[]',
};
const identity: NodeIdentity = {
  cluster: '',
  id: 1,
  name: 'a',
  instance: null,
  nextInstance: null,
  key: '',
  certificate: '',
  authority: '',
};

test('a node whose renewal is confirmed after the end of its lease runs calls again', async () => {
  const asked = Promise.withResolvers<void>();
  const confirmed = Promise.withResolvers<StoredNode>();
  // The first renewal takes some of the lease already.
  const renewals = [delay(leaseMs * 0.4, stored)];
  const answers: Record<string, () => unknown> = {
    startNode: () => ({ isStarted: true, node: stored, log: null }),
    renewLease() {
      const early = renewals.shift();
      if (early === undefined) asked.resolve();
      return early ?? confirmed.promise;
    },
    listNodes: () => [stored],
    findEndedLeases: () => [],
    releaseLease: () => undefined,
  };
  const quiet = (): void => undefined;
  const membership = await joinCluster({
    store: { run: async (name: string) => answers[name]?.() } as Pick<Store, 'run'>,
    files: { update: async () => undefined },
    identity,
    leaseMs,
    advertise: stored.advertise,
    version: stored.version,
    logDifference: () => undefined,
    findUnreachable: async () => [],
    logger: { info: quiet, warn: quiet, error: quiet },
  });
  onTestFinished(() => membership.close());
  const before = membership.held();
  const ended = once(before, 'abort');
  await asked.promise;
  await ended;
  expect(() => membership.requireLease()).toThrow(/takes no calls: it cannot renew its lease/);
  confirmed.resolve(stored);
  await expect.poll(() => membership.held().aborted).toBe(false);
  expect(before.reason).toMatchObject({ code: 'LEASE_LOST' });
});
