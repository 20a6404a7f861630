// Threat model: T342, T354

import { describe, expect, test } from 'vitest';
import { SkillError } from '../../../packages/core/src/index.ts';
import { canonicalJson } from '../../../packages/core/src/json.ts';
import { allBytesOf, openWorkspaces, type WorkspaceStorage } from '../../../packages/core/src/workspace.ts';
import { workspaceStorage } from '../../../packages/server/src/index.ts';
import {
  openPostgres,
  postgresDatabase,
  socketVariable,
} from '../../../packages/server/src/store/testing/postgres-databases.ts';
import { change, contentsOf, nothing, sha256 } from '../support/workspaces-world.ts';

type Store = ReturnType<typeof openPostgres>;

/** A cluster with the nodes 1 and 2, called a and b. */
async function twoNodes(): Promise<Store> {
  const store = openPostgres(await postgresDatabase(), 'beside');
  await store.run('createCluster', { id: 'c', authority: 'A' });
  for (const [index, name] of ['a', 'b'].entries()) {
    const node = { id: index + 1, name, advertise: '127.0.0.1:1', certificate: 'C' };
    expect(await store.run('addNode', node, null, entry(index + 1))).toBe('added');
  }
  return store;
}

const entry = (sequence: number, node = 1, statement = '{}') => ({
  sequence,
  statement,
  node,
  signature: 's',
});

const start = (
  store: Store,
  id: number,
  instance: string,
  known: readonly string[] = [instance],
  leaseMs = 60_000,
) =>
  store.run('startNode', id, {
    instance,
    known,
    advertise: '127.0.0.1:2',
    version: '1',
    leaseMs,
    compared: null,
  });

/** Resolves once the lease of a node has ended by the clock of the database. */
async function endOfLease(store: Store, id: number): Promise<void> {
  while (!(await store.run('findEndedLeases')).some((node) => node.id === id));
}

describe.runIf(process.env[socketVariable] !== undefined)('the nodes of a cluster', () => {
  test('are created once, and each change has the next number in the log', async () => {
    const store = await twoNodes();
    expect(await store.run('createCluster', { id: 'd', authority: 'B' })).toBe(false);
    expect(await store.run('findCluster')).toEqual({ id: 'c', authority: 'A' });
    const third = { id: 3, name: 'c', advertise: 'x:1', certificate: 'C' };
    expect(await store.run('addNode', third, null, entry(2))).toBe('late');
    expect(await store.run('addNode', { ...third, id: 2 }, null, entry(3))).toBe('taken');
    expect(await store.run('addNode', { ...third, name: 'b' }, null, entry(3))).toBe('taken');
    expect(await store.run('addNode', third, 'unknown', entry(3))).toBe('refused');
    await store.run('invite', 'known', 'c', 60_000);
    expect(await store.run('addNode', { ...third, name: 'd' }, 'known', entry(3))).toBe('refused');
    expect(await store.run('addNode', third, 'known', entry(3))).toBe('added');
    expect(await store.run('addNode', { ...third, id: 4, name: 'd' }, 'known', entry(4))).toBe('refused');
    expect((await store.run('listClusterLog')).map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(await store.run('nextNode', 'c')).toEqual({ id: 4, isTaken: true });
  });

  test('refuse an invitation that has expired', async () => {
    const store = await twoNodes();
    await store.run('invite', 'short', 'c', 0);
    while ((await store.run('findInvitation', 'short')) !== undefined);
    const node = { id: 3, name: 'c', advertise: 'x:1', certificate: 'C' };
    expect(await store.run('addNode', node, 'short', entry(3))).toBe('refused');
  });

  test('start under a new epoch when their lease has ended, unless another start was accepted meanwhile', async () => {
    const store = await twoNodes();
    expect(await start(store, 1, 'i')).toMatchObject({ isStarted: true, node: { epoch: 1, instance: 'i' } });
    expect(await start(store, 1, 'j', ['i', 'j'])).toMatchObject({ isStarted: false, node: { epoch: 1 } });
    await store.run('releaseLease', 1, 1, 'i');
    expect(await start(store, 1, 'j', ['j'])).toMatchObject({ isStarted: false, node: { instance: 'i' } });
    expect(await start(store, 1, 'j', ['i', 'j'])).toMatchObject({ isStarted: true, node: { epoch: 3 } });
    expect(await start(store, 3, 'i')).toBeUndefined();
    expect(await store.run('retireNode', 1, 0, entry(3))).toBe('retired');
    expect(await store.run('retireNode', 1, 0, entry(4, 2))).toBe('passed');
    expect(await store.run('retireNode', 2, 0, entry(4))).toBe('signer-retired');
    expect(await store.run('addClusterEntry', entry(4))).toBe('signer-retired');
    expect(await start(store, 1, 'k', ['j', 'k'])).toMatchObject({
      isStarted: false,
      node: { state: 'retired' },
    });
  });

  test('have a policy whose state changes with each change of it, and whose signer must not be retired before', async () => {
    const store = await twoNodes();
    const said = (sequence: number, kind: string, node?: number): string =>
      canonicalJson({ by: 2, cluster: 'c', kind, name: 'b', node, sequence });
    const states = new Set<string>();
    const state = async (): Promise<number> => {
      const found = await store.run('policyState');
      expect(states).not.toContain(found.state);
      states.add(found.state);
      return found.revision;
    };
    const signer = async () => (await store.run('readPolicy'))?.isRetired;
    expect([await state(), await store.run('readPolicy')]).toEqual([0, undefined]);
    const publish = (from: number, sequence: number) =>
      store.run(
        ...(['changePolicy', from, from + 1, { content: '{}', actor: 'o', node: 2 }] as const),
        entry(sequence, 2, said(sequence, 'policy.changed')),
      );
    expect([await publish(0, 3), await state(), await signer()]).toEqual(['written', 1, 0]);
    expect(await publish(0, 4)).toBe('changed');
    expect(await store.run('addClusterEntry', entry(4, 1, 'no JSON'))).toBe('added');
    expect([await state(), await signer()]).toEqual([1, 0]);
    // Without an entry, nothing shows that it was retired later.
    expect(await store.run('retireNode', 2, 0, entry(5))).toBe('retired');
    expect([await state(), await signer()]).toEqual([1, 1]);
    await store.run('addClusterEntry', entry(6, 1, said(6, 'node.retired', 2)));
    expect([await state(), await signer()]).toEqual([1, 0]);
    expect(await publish(1, 7)).toBe('signer-retired');
    await store.run('addClusterEntry', entry(7, 1, said(7, 'policy.changed').replace('"by":2', '"by":1')));
    expect(await store.run('readPolicy')).toMatchObject({
      revision: 1,
      sequence: 7,
      signer: 1,
      isRetired: 0,
    });
  });

  test('renew a lease only under their epoch, their start and in time', async () => {
    const store = await twoNodes();
    await start(store, 1, 'i');
    expect(await store.run('renewLease', 1, 1, 'i', 1000, '[]')).toMatchObject({ epoch: 1 });
    expect(await store.run('renewLease', 1, 0, 'i', 1000, '[]')).toBeUndefined();
    expect(await store.run('renewLease', 1, 1, 'j', 1000, '[]')).toBeUndefined();
    expect(await store.run('endLease', 1, 1, 0, entry(3))).toBe('passed');
    await store.run('renewLease', 1, 1, 'i', 0, '[]');
    await endOfLease(store, 1);
    expect(await store.run('renewLease', 1, 1, 'i', 1000, '[]')).toBeUndefined();
    expect(await store.run('endLease', 1, 1, 0, entry(3))).toBe('ended');
    expect(await store.run('endLease', 1, 1, 0, entry(4))).toBe('passed');
    expect((await store.run('listNodes'))[0]).toMatchObject({ epoch: 2, leaseUntil: 0 });
  });

  test('lose their claims with their epoch, and store no answer afterwards', async () => {
    const store = await twoNodes();
    await start(store, 1, 'i');
    const holder = { node: 1, epoch: 1 };
    const claim = (name: string) => ({
      name,
      owner: 'o',
      executionId: name,
      fingerprint: 'f',
      claimedAt: 1,
      holder,
    });
    for (const name of ['answered', 'open']) await store.run('claim', claim(name), 0);
    const answer = { head: '{}', body: Buffer.from('1') };
    expect(await store.run('storeResponse', 'answered', 'answered', answer, holder)).toBe(true);
    expect(await store.run('claim', claim('open'), 0)).toMatchObject(holder);
    await store.run('renewLease', 1, 1, 'i', 0, '[]');
    await endOfLease(store, 1);
    await store.run('endLease', 1, 1, 0, entry(3));
    expect(await store.run('storeResponse', 'open', 'open', answer, holder)).toBe(false);
    expect(await store.run('findClaim', 'open', 0)).toMatchObject({ node: null, epoch: null, head: null });
    expect(await store.run('findClaim', 'answered', 0)).toMatchObject({ head: '{}' });
    // A claim can arrive late. Other nodes have reported it as interrupted by the time its call ends.
    await store.run('claim', claim('late'), 0);
    expect(await store.run('storeResponse', 'late', 'late', answer, holder)).toBe(false);
    expect(await store.run('releaseClaim', 'late', 'late', holder)).toBe(false);
    expect(await store.run('findClaim', 'late', 0)).toMatchObject({ head: null });
    await start(store, 1, 'i');
    const current = { node: 1, epoch: 3 };
    await store.run('claim', { ...claim('unrun'), holder: current }, 0);
    expect(await store.run('releaseClaim', 'unrun', 'unrun', current)).toBe(true);
    // A node knows that its call never ran. The key stays interrupted if another node has said so.
    const again = (name: string) => ({ ...claim(name), executionId: 'again', holder: current });
    expect(await store.run('claim', again('open'), 0, ['open'])).toMatchObject({ executionId: 'open' });
    await store.run('claim', { ...claim('unreported'), holder: current }, 0);
    expect(await store.run('claim', again('unreported'), 0, ['unreported'])).toBeUndefined();
  });

  test('hold a workspace one at a time, and change it only while they hold it under their epoch', async () => {
    const store = await twoNodes();
    await start(store, 1, 'i');
    await start(store, 2, 'i');
    const [a, b] = [
      { node: 1, epoch: 1 },
      { node: 2, epoch: 1 },
    ];
    const record = (files: readonly object[] = []): string => JSON.stringify({ owner: 'o', files });
    expect(await store.run('writeWorkspace', 'w', record(), 0, a)).toBe(true);
    expect(await store.run('holdWorkspace', 'w', a)).toEqual({ record: record(), isKept: true });
    expect(await store.run('holdWorkspace', 'w', b)).toBe('busy');
    expect(await store.run('writeWorkspace', 'w', record(), 0, b)).toBe(false);
    expect(await store.run('addContents', 'w', [], b)).toBe(false);
    expect(await store.run('removeUnnamed', 'w', [], b)).toBe('lost');
    expect(await store.run('removeWorkspace', 'w', b)).toBe(false);
    expect(
      await store.run('addContents', 'w', [{ sha256: 's', part: 0, content: Buffer.from('1') }], a),
    ).toBe(true);
    await store.run('dropWorkspace', 'w', b);
    expect(await store.run('holdWorkspace', 'w', b)).toBe('busy');
    await store.run('dropWorkspace', 'w', a);
    expect(await store.run('holdWorkspace', 'w', b)).toEqual({ record: record(), isKept: false });
    // Its epoch ends while it holds the workspace.
    await store.run('renewLease', 2, 1, 'i', 0, '[]');
    await endOfLease(store, 2);
    await store.run('endLease', 2, 1, 0, entry(3));
    expect(await store.run('addContents', 'w', [], b)).toBe(false);
    expect(await store.run('holdWorkspace', 'w', a)).toEqual({ record: record(), isKept: false });
    expect(await store.run('writeWorkspace', 'w', record(), 0, b)).toBe(false);
    const found = { id: 'w', record: record(), isHeld: 1 };
    expect(await store.run('findWorkspacesOf', 'o', a)).toEqual([found]);
    expect(await store.run('findWorkspace', 'w', b)).toEqual({ ...found, isHeld: 0 });
    expect(await store.run('removeWorkspace', 'w', a)).toBe(true);
    expect(await store.run('holdWorkspace', 'w', b)).toBeUndefined();
  });

  test('read what another node has stored after they lost a workspace with a change that is not stored', async () => {
    const store = await twoNodes();
    await start(store, 1, 'i');
    await start(store, 2, 'i');
    const opened = async (
      holder: { node: number; epoch: number },
      around: Partial<WorkspaceStorage> = {},
    ) => {
      const storage = workspaceStorage(
        store,
        (id, cause) => {
          throw new Error(id, { cause });
        },
        () => holder,
      );
      return openWorkspaces(
        {
          storage: { ...storage, ...around },
          now: () => 1_000_000,
          sha256,
          newId: () => 'w',
          beforeExpiry: nothing,
          bounds: {
            countMax: 3,
            quotaBytes: 100,
            quotaBytesMax: 100,
            entriesMax: 4000,
            totalBytesMax: 10_000,
            expiresAfterMs: 1000,
            expiresAfterMsMax: 1000,
          },
        },
        [],
      );
    };
    const gone = new SkillError('STORE_UNAVAILABLE', 'the store cannot be used: the connection was lost');
    let isCut = false;
    const shared = workspaceStorage(store, nothing as never, () => ({ node: 1, epoch: 1 }));
    const a = await opened(
      { node: 1, epoch: 1 },
      { write: (workspace) => (isCut ? Promise.reject(gone) : shared.write(workspace)) },
    );
    const b = await opened({ node: 2, epoch: 1 });
    const { id } = await a.create('bot', {}, nothing);
    await change(a, id, { file: 'stored' });
    expect(await contentsOf(b, id)).toEqual({ file: 'stored' });
    isCut = true;
    await expect(change(a, id, { file: 'recorded' })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    // Node a holds it until its lease ends.
    await expect(b.enter('bot', id, AbortSignal.timeout(1))).resolves.toBeUndefined();
    await store.run('renewLease', 1, 1, 'i', 0, '[]');
    await endOfLease(store, 1);
    await store.run('endLease', 1, 1, 0, entry(3));
    await change(b, id, { file: 'newer' });
    const { content } = await a.read('bot', id, 'file');
    expect(Buffer.from(await allBytesOf(content)).toString()).toBe('newer');
    expect((await a.list('bot')).map((workspace) => workspace.id)).toEqual([id]);
    expect(await contentsOf(a, id)).toEqual({ file: 'newer' });
  });
});
