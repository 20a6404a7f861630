import { describe, expect, test } from 'vitest';
import { databases, emptyStore } from '../../../packages/server/src/store/testing/databases.ts';

const approval = (id: string, digest: string, record = '{}') => ({ id, digest, record });
const revocation = (subject: string, record = '{}') => ({ subject, record });

describe.each(databases)('decisions about installed skills in $name', (database) => {
  test('lists approvals by skill and version, and revocations, also after a restart', async () => {
    const { open } = await database.create();
    const first = await open();
    await first.run('approve', [approval('b:x', 'sha256:2'), approval('a:x', 'sha256:1')]);
    await first.run('approve', [approval('a:x', 'sha256:3'), approval('b:x', 'sha256:2', '{"again":1}')]);
    await first.run('revoke', [revocation('sha256:9')]);
    await first.close();
    expect(await (await open()).run('listDecisions')).toEqual({
      revision: 3,
      approvals: [
        approval('a:x', 'sha256:1'),
        approval('a:x', 'sha256:3'),
        approval('b:x', 'sha256:2', '{"again":1}'),
      ],
      revocations: [revocation('sha256:9')],
    });
  });

  test('replaces an approval for one of several that try at the same time, and only if it is unchanged', async () => {
    const store = await emptyStore(database);
    const stored = approval('a:x', '1');
    await store.run('approve', [stored]);
    const { revision } = await store.run('listDecisions');
    const tries = ['first', 'second', 'third'].map((next) => store.run('replaceApproval', stored, next));
    const replaced = await Promise.all(tries);
    expect(replaced.filter(Boolean)).toHaveLength(1);
    const record = ['first', 'second', 'third'][replaced.indexOf(true)];
    expect(await store.run('listDecisions')).toMatchObject({
      revision: revision + 1,
      approvals: [{ ...stored, record }],
    });
  });

  test('removes the approvals of every version but one, or of all, and of no other skill', async () => {
    const store = await emptyStore(database);
    const approvals = ['1', '2', '3'].flatMap((digest) => [approval('a:x', digest), approval('b:x', digest)]);
    await store.run('approve', approvals);
    await store.run('disapprove', [{ id: 'a:x', keep: '2' }]);
    const ids = async () =>
      (await store.run('listDecisions')).approvals.map(({ id, digest }) => `${id} ${digest}`);
    expect(await ids()).toEqual(['a:x 2', 'b:x 1', 'b:x 2', 'b:x 3']);
    await store.run('disapprove', [
      { id: 'a:x', keep: null },
      { id: 'b:x', keep: '4' },
    ]);
    expect(await ids()).toEqual([]);
  });

  test('keeps the first revocation of a subject until it is taken back', async () => {
    const store = await emptyStore(database);
    await store.run('revoke', [revocation('publisher:acme', '{"by":"first"}')]);
    await store.run('revoke', [revocation('publisher:acme', '{"by":"second"}')]);
    const listed = async () => (await store.run('listDecisions')).revocations;
    expect(await listed()).toEqual([revocation('publisher:acme', '{"by":"first"}')]);
    await store.run('restore', 'publisher:other');
    expect(await listed()).toHaveLength(1);
    await store.run('restore', 'publisher:acme');
    expect(await listed()).toEqual([]);
  });

  test('counts each of many changes at the same time in two stores, and keeps them all', async () => {
    const { open } = await database.create();
    const stores = [await open(), await open()];
    expect(await stores[0]?.run('decisionsRevision')).toBe(0);
    const numbers = Array.from({ length: 40 }, (_, at) => at);
    await Promise.all(numbers.map((at) => stores[at % 2]?.run('approve', [approval('a:x', `sha256:${at}`)])));
    const { revision, approvals } = (await stores[0]?.run('listDecisions')) ?? {};
    expect([revision, approvals?.length]).toEqual([40, 40]);
  });
});
