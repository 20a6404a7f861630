// Threat model: T273, T274, T275, T276, T277

import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { cuttableStore } from '../../../packages/server/src/store/testing/cuttable-store.ts';
import { databases, emptyStore, openSqlite } from '../../../packages/server/src/store/testing/databases.ts';
import {
  answered,
  endOf,
  keyedCall,
  keyedCalls,
  keyUse,
} from '../../../packages/server/src/store/testing/keyed-calls.ts';
import { resultOf } from '../../../packages/server/src/testing/job-responses.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const mebibyte = 1024 * 1024;
/** A response of which two fit into 10,000 bytes. */
const longText = `"${'x'.repeat(4000)}"`;
const largeText = `"${'x'.repeat(2 * mebibyte)}"`;
const forever = () => new Promise<never>(() => undefined);

describe.each(databases)('idempotency keys in $name', (database) => {
  test('returns the first response to a repeated call, even after a restart', async () => {
    const { open } = await database.create();
    const store = await open();
    const first = keyedCalls(store);
    const call = first.claim('e1');
    expect(await answered(call)).toEqual(['new', '"e1"']);
    expect((await endOf(call))?.isUnstored).toBeUndefined();
    expect(await answered(first.claim('e2'))).toEqual(['answered', '"e1"']);
    await store.close();
    const second = keyedCalls(await open());
    expect(await second.claim('e3')).toMatchObject({
      is: 'answered',
      executionId: 'e1',
      response: { ...resultOf(''), body: { sha256: resultOf('"e1"').body.sha256 } },
    });
    expect([first.runs(), second.runs()]).toEqual([1, 0]);
  });

  test('runs one of many simultaneous calls, and returns its response to all', async () => {
    const { claim, runs } = keyedCalls(await emptyStore(database));
    const all = Array.from({ length: 20 }, (_, index) => answered(claim(`e${index}`)));
    expect(await Promise.all(all)).toEqual([['new', '"e0"'], ...Array(19).fill(['running', '"e0"'])]);
    expect(runs()).toBe(1);
  });

  test('runs one of many simultaneous calls through two stores', async () => {
    const { open } = await database.create();
    const both = [keyedCalls(await open()), keyedCalls(await open())];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => both[index % 2]?.claim(`e${index}`)),
    );
    expect(both.reduce((sum, { runs }) => sum + runs(), 0)).toBe(1);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toEqual(
      refused.map(() =>
        expect.objectContaining({ reason: expect.objectContaining({ code: 'IDEMPOTENCY_INTERRUPTED' }) }),
      ),
    );
  });

  test('gives an expired key to one of two calls through two stores', async () => {
    const { open } = await database.create();
    const both = [keyedCalls(await open()), keyedCalls(await open())];
    await answered(both[0]?.claim('e0') as never);
    for (let round = 1; round <= 10; round++) {
      for (const { pass } of both) pass(1100);
      await Promise.allSettled(both.map(({ claim }, index) => answered(claim(`e${round}-${index}`))));
    }
    expect(both.reduce((sum, { runs }) => sum + runs(), 0)).toBe(11);
  });

  test('refuses a key with another request, while the first runs and after it', async () => {
    const over = { fingerprint: 'asked for b' };
    const { claim, runs } = keyedCalls(await emptyStore(database));
    const end = Promise.withResolvers<void>();
    const first = claim('e1', {}, async () => {
      await end.promise;
      return resultOf('1');
    });
    const refusal = {
      code: 'IDEMPOTENCY_KEY_REUSED',
      details: { originalExecutionId: 'e1' },
      message: expect.stringContaining('was used for a different request'),
    };
    await expect(claim('e2', over)).rejects.toMatchObject(refusal);
    end.resolve();
    await answered(first);
    await expect(claim('e3', over)).rejects.toMatchObject(refusal);
    expect(runs()).toBe(1);
  });

  test.each([
    ['caller', { actor: 'bob' }],
    ['route', { route: 'POST /chain' }],
    ['key', { key: 'k2' }],
  ])('treats the same key with another %s as a different key', async (_, over) => {
    const { claim, runs } = keyedCalls(await emptyStore(database));
    await answered(claim('e1'));
    expect(await answered(claim('e2', over))).toEqual(['new', '"e2"']);
    expect(runs()).toBe(2);
  });

  test('frees the key of a call that did not run', async () => {
    const store = await emptyStore(database);
    const { claim, runs } = keyedCalls(store);
    const refused = {
      ...resultOf('{}'),
      kind: 'problem',
      status: 503,
      outcome: 'OVERLOADED',
      ran: false,
    } as const;
    await answered(claim('e1', {}, async () => refused));
    expect(await store.run('sumClaims')).toEqual([]);
    expect(await answered(claim('e2'))).toEqual(['new', '"e2"']);
    expect(runs()).toBe(2);
  });

  test('frees the key of a call that could not start', async () => {
    const store = await emptyStore(database);
    const { claim } = keyedCalls(store);
    const failing = claim('e1', {}, () => {
      throw new Error('no room');
    });
    await expect(failing).rejects.toThrow('no room');
    expect(await store.run('sumClaims')).toEqual([]);
  });

  test('does not run an interrupted call again unless it may, and names its record', async () => {
    const { open } = await database.create();
    const first = await open();
    await keyedCalls(first).claim('e1', {}, forever);
    // The first call leaves a claim without a response, like a killed daemon.
    await first.close();
    const store = await open();
    const { claim } = keyedCalls(store);
    await expect(claim('e2')).rejects.toMatchObject({
      code: 'IDEMPOTENCY_INTERRUPTED',
      details: { originalExecutionId: 'e1' },
      message: expect.stringMatching(/GET \/executions\/e1\. To run it again, use another key/),
    });
    expect(await answered(claim('e3', { key: 'k2' }))).toEqual(['new', '"e3"']);
    const rerunning = keyedCalls(store, { reruns: true });
    await expect(rerunning.claim('e4', { fingerprint: 'asked for b' })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    // A rerun that does not run leaves the key to the interrupted call.
    const refused = rerunning.claim('r1', {}, async () => ({ ...resultOf('"refused"'), ran: false }));
    expect(await answered(refused)).toEqual(['new', '"refused"']);
    const failing = rerunning.claim('r2', {}, () => {
      throw new Error('no room');
    });
    await expect(failing).rejects.toThrow('no room');
    await expect(claim('r3')).rejects.toMatchObject({
      code: 'IDEMPOTENCY_INTERRUPTED',
      details: { originalExecutionId: 'e1' },
    });
    expect(await answered(rerunning.claim('e5'))).toEqual(['new', '"e5"']);
    expect(await answered(keyedCalls(store).claim('e6'))).toEqual(['answered', '"e5"']);
    expect(await answered(rerunning.claim('e7'))).toEqual(['answered', '"e5"']);
  });

  test('frees a key after its retention, and removes what is stored for it', async () => {
    const store = await emptyStore(database);
    const { claim, sweep, pass } = keyedCalls(store);
    await answered(claim('e1'));
    await sweep();
    expect(await store.run('sumClaims')).toMatchObject([{ claims: 1, bytes: 4 }]);
    pass(1001);
    expect(await answered(claim('e2'))).toEqual(['new', '"e2"']);
    pass(1001);
    await sweep();
    expect(await store.run('sumClaims')).toEqual([]);
  });

  test('a sweep preserves running calls, and removes any number of others', async () => {
    const store = await emptyStore(database);
    const { claim, sweep, pass } = keyedCalls(store);
    const running = claim('e1', {}, forever);
    const others = Array.from({ length: 450 }, (_, index) =>
      answered(claim(`e${index}`, { actor: `a${index}` })),
    );
    await Promise.all([running, ...others]);
    pass(1001);
    await sweep();
    expect(await store.run('sumClaims')).toMatchObject([{ claims: 1, bytes: 0 }]);
  });

  test('does not store the response of a call whose key expired and was claimed by another call', async () => {
    const { open } = await database.create();
    const [first, second] = [keyedCalls(await open()), keyedCalls(await open())];
    const end = Promise.withResolvers<void>();
    const late = first.claim('e1', {}, async () => {
      await end.promise;
      return resultOf('1');
    });
    await late;
    second.pass(2000);
    expect(await answered(second.claim('e2'))).toEqual(['new', '"e2"']);
    end.resolve();
    expect(await answered(late)).toEqual(['new', '1']);
    expect(first.lost).toMatchObject([{ message: 'its claim was removed or belongs to another call' }]);
    expect(await answered(second.claim('e3'))).toEqual(['answered', '"e2"']);
  });

  test('changes a claim only for its own call, and a response never', async () => {
    const store = await emptyStore(database);
    const claim = { ...keyedCall(keyUse, 'e1'), claimedAt: 1 };
    const response = { head: '{}', body: Buffer.from('1') };
    await store.run('claim', claim, 0);
    expect([
      await store.run('storeResponse', claim.name, 'e2', response),
      await store.run('releaseClaim', claim.name, 'e2'),
      await store.run('storeResponse', claim.name, 'e1', response),
      await store.run('storeResponse', claim.name, 'e1', response),
      await store.run('releaseClaim', claim.name, 'e1'),
    ]).toEqual([false, false, true, false, false]);
  });

  test('an operation that fails halfway changes nothing', async () => {
    const { open } = await database.create();
    const store = await open();
    const approval = { id: 'a:x', digest: 'sha256:1', record: '{}' };
    const invalid = { ...approval, digest: null as never };
    await expect(store.run('approve', [approval, invalid])).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    const nothing = { revision: 0, approvals: [], revocations: [] };
    expect(await store.run('listDecisions')).toEqual(nothing);
    await store.close();
    expect(await (await open()).run('listDecisions')).toEqual(nothing);
  });

  test.each([
    ['the maximum of claims', { countMax: 1 }],
    ['the maximum of claims of one caller', { ownerCountMax: 1 }],
  ])('refuses a new key with %s stored, runs nothing, and still answers a known key', async (_, bounds) => {
    const store = await emptyStore(database);
    await answered(keyedCalls(store).claim('e1'));
    const { claim, runs, pass, sweep } = keyedCalls(store, { bounds });
    await expect(claim('e2', { key: 'k2' })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(/Nothing has run\. Send the call without Idempotency-Key/),
    });
    expect(await answered(claim('e3'))).toEqual(['answered', '"e1"']);
    expect(runs()).toBe(0);
    pass(1001);
    await sweep();
    expect(await answered(claim('e4', { key: 'k2' }))).toEqual(['new', '"e4"']);
  });

  test('a caller at its limit does not affect other callers', async () => {
    const { claim } = keyedCalls(await emptyStore(database), { bounds: { ownerCountMax: 1 } });
    await answered(claim('e1'));
    await expect(claim('e2', { key: 'k2' })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(await answered(claim('e3', { actor: 'bob' }))).toEqual(['new', '"e3"']);
  });

  test("a response that exceeds its caller's limit replaces the caller's oldest, which does not run again", async () => {
    const store = await emptyStore(database);
    const bounds = { ownerBytesMax: 10_000 };
    const { claim, runs, lost } = keyedCalls(store, { bounds });
    for (const key of ['k1', 'k2', 'k3'])
      await answered(claim(`e-${key}`, { key }, async () => resultOf(longText)));
    expect(await store.run('sumClaims')).toMatchObject([{ claims: 3, bytes: 2 * longText.length }]);
    const gone = {
      code: 'IDEMPOTENCY_INTERRUPTED',
      details: { originalExecutionId: 'e-k1' },
      message: expect.stringContaining('is not stored, but the call may have run'),
    };
    for (const { claim: again } of [{ claim }, keyedCalls(store, { bounds })]) {
      await expect(again('e4', { key: 'k1' })).rejects.toMatchObject(gone);
      expect(await answered(again('e5', { key: 'k2' }))).toEqual(['answered', longText]);
      expect(await answered(again('e6', { key: 'k3' }))).toEqual(['answered', longText]);
    }
    expect([runs(), lost]).toEqual([3, []]);
  });

  test('knows the oldest responses after a restart', async () => {
    const { open } = await database.create();
    const first = await open();
    const long = async () => resultOf(longText);
    const { claim } = keyedCalls(first);
    for (const key of ['k2', 'k1']) await answered(claim(`e-${key}`, { key }, long));
    await first.close();
    const second = keyedCalls(await open(), { bounds: { ownerBytesMax: 10_000 } });
    await answered(second.claim('e-k3', { key: 'k3' }, long));
    expect(await answered(second.claim('e4', { key: 'k1' }))).toEqual(['answered', longText]);
    await expect(second.claim('e5', { key: 'k2' })).rejects.toMatchObject({
      details: { originalExecutionId: 'e-k2' },
    });
  });

  test('keeps many simultaneous responses within the limits, with space for another caller', async () => {
    const store = await emptyStore(database);
    const { claim, runs, lost } = keyedCalls(store, { bounds: { ownerBytesMax: 20_000, bytesMax: 25_000 } });
    const long = async () => resultOf(longText);
    await Promise.all(
      Array.from({ length: 24 }, (_, index) => answered(claim(`e${index}`, { key: `k${index}` }, long))),
    );
    expect(await store.run('sumClaims')).toMatchObject([{ claims: 24, bytes: 4 * longText.length }]);
    const bob = { actor: 'bob' };
    expect(await answered(claim('b1', bob, long))).toEqual(['new', longText]);
    expect(await answered(claim('b2', bob))).toEqual(['answered', longText]);
    expect([runs(), lost]).toEqual([25, []]);
  });

  test('removes the oldest response of the caller with the most bytes when the total is reached', async () => {
    const store = await emptyStore(database);
    const { claim } = keyedCalls(store, { bounds: { bytesMax: 15_000 } });
    const long = async () => resultOf(longText);
    await answered(claim('b1', { actor: 'bob' }, long));
    for (const key of ['k1', 'k2']) await answered(claim(`e-${key}`, { key }, long));
    await answered(claim('c1', { actor: 'carol' }, long));
    await expect(claim('e4', { key: 'k1' })).rejects.toMatchObject({
      details: { originalExecutionId: 'e-k1' },
    });
    for (const over of [{ actor: 'bob' }, { actor: 'carol' }, { key: 'k2' }])
      expect(await answered(claim('e5', over))).toEqual(['answered', longText]);
  });

  test('one large response replaces many small ones of several callers, from each about as much', async () => {
    const store = await emptyStore(database);
    const { claim, lost } = keyedCalls(store, { bounds: { bytesMax: 20_000 } });
    const small = async () => resultOf(`"${'x'.repeat(98)}"`);
    const uses = ['bob', 'carol', 'dora'].flatMap((actor) =>
      Array.from({ length: 60 }, (_, index) => ({ actor, key: `k${index}` })),
    );
    await Promise.all(uses.map((use) => answered(claim(`${use.actor}-${use.key}`, use, small))));
    await answered(claim('e1', {}, async () => resultOf(longText)));
    const sums = (await store.run('sumClaims')).map(({ bytes }) => bytes).sort((a, b) => a - b);
    expect(sums.at(-1)).toBeLessThanOrEqual(5600);
    expect(sums.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(20_000);
    expect(await answered(claim('e2'))).toEqual(['answered', longText]);
    expect(lost).toEqual([]);
  });

  test('returns a response that would not fit even alone, and removes no other', async () => {
    const { claim, lost, runs } = keyedCalls(await emptyStore(database), {
      bounds: { ownerBytesMax: 10_000 },
    });
    await answered(claim('e1', {}, async () => resultOf(longText)));
    const huge = `"${'x'.repeat(20_000)}"`;
    expect(await answered(claim('e2', { key: 'k2' }, async () => resultOf(huge)))).toEqual(['new', huge]);
    expect(lost).toMatchObject([{ message: 'the limits for stored responses are reached' }]);
    await expect(claim('e3', { key: 'k2' })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_INTERRUPTED',
      details: { originalExecutionId: 'e2' },
    });
    expect(await answered(claim('e4'))).toEqual(['answered', longText]);
    expect(runs()).toBe(2);
  });

  test('limits the memory of large responses that wait to be stored; the rest are returned but not stored', async () => {
    const { again, lost, runs, claim } = await endedTogether(5 * mebibyte, largeText);
    expect(again).toEqual(['IDEMPOTENCY_INTERRUPTED', 'answered', 'answered', 'answered']);
    expect(lost).toMatchObject([{ code: 'OVERLOADED' }]);
    expect(runs()).toBe(4);
    // Their memory is free again.
    await answered(claim('e5', { key: 'k5' }, async () => resultOf(largeText)));
    expect(await answered(claim('e6', { key: 'k5' }))).toEqual(['answered', largeText]);
  });

  test.each([
    ['large answers for which there is memory', 64 * mebibyte, largeText],
    ['small answers, however little memory there is,', 1, longText],
  ])('stores %s that arrive together', async (_, eachMax, text) => {
    const { again, lost } = await endedTogether(eachMax, text);
    expect([again, lost]).toEqual([Array(4).fill('answered'), []]);
  });

  test('returns a response that cannot be stored, and refuses a repeated call', async () => {
    const { open } = await database.create();
    const store = await open();
    const { claim, lost } = keyedCalls(store);
    const first = claim('e1', {}, async () => {
      await store.close();
      return resultOf('1');
    });
    expect(await answered(first)).toEqual(['new', '1']);
    expect(await endOf(first)).toMatchObject({ isUnstored: true });
    expect(lost).toMatchObject([{ code: 'STORE_UNAVAILABLE' }]);
    await expect(keyedCalls(await open()).claim('e2')).rejects.toMatchObject({
      code: 'IDEMPOTENCY_INTERRUPTED',
      details: { originalExecutionId: 'e1' },
    });
  });

  test('runs a call whose claims were stored although the answers of the database were lost', async () => {
    const store = await emptyStore(database);
    const cut = cuttableStore(store);
    const { claim, runs, sweep } = keyedCalls(cut.store, { bounds: { countMax: 1 } });
    await sweep();
    cut.isOn = true;
    for (const id of ['e1', ...Array.from({ length: 100 }, (_, index) => `more ${index}`), 'e2'])
      await expect(claim(id)).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringContaining('Nothing has run'),
      });
    expect(await store.run('findClaim', keyedCall(keyUse, '').name, 0)).toMatchObject({ executionId: 'e2' });
    cut.isOn = false;
    // It counts towards the limit, and does not stop the call.
    await sweep();
    const over = { fingerprint: 'asked for b' };
    expect(await answered(claim('e3', over))).toEqual(['new', '"e3"']);
    expect(await answered(claim('e4', over))).toEqual(['answered', '"e3"']);
    expect(runs()).toBe(1);
  });

  test('runs a call again whose key could not be freed although nothing ran', async () => {
    const store = await emptyStore(database);
    const cut = cuttableStore(store);
    const { claim, lost } = keyedCalls(cut.store);
    const failing = claim('e1', {}, () => {
      cut.isOn = true;
      throw new Error('no room');
    });
    await expect(failing).rejects.toThrow('no room');
    expect(await store.run('sumClaims')).toMatchObject([{ claims: 1 }]);
    expect(lost).toMatchObject([{ code: 'STORE_UNAVAILABLE' }]);
    cut.isOn = false;
    expect(await answered(claim('e2'))).toEqual(['new', '"e2"']);
  });

  test('does not run a call whose claim was lost if another daemon has run it since', async () => {
    const { open } = await database.create();
    const cut = cuttableStore(await open());
    const [one, other] = [keyedCalls(cut.store), keyedCalls(await open())];
    await one.sweep();
    cut.isOn = true;
    await expect(one.claim('e1')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    cut.isOn = false;
    const { name } = keyedCall(keyUse, 'e1');
    expect(await cut.store.run('releaseClaim', name, 'e1')).toBe(true);
    await other.claim('e2', {}, forever);
    await expect(one.claim('e3')).rejects.toMatchObject({
      code: 'IDEMPOTENCY_INTERRUPTED',
      details: { originalExecutionId: 'e2' },
    });
    expect([one.runs(), other.runs()]).toEqual([0, 1]);
  });

  test('replaces a claim that has no response, of a call that did not run, and no other', async () => {
    const store = await emptyStore(database);
    const claim = (executionId: string) => ({ ...keyedCall(keyUse, executionId), claimedAt: 1 });
    const { name } = claim('e1');
    await store.run('claim', claim('e1'), 0);
    expect(await store.run('claim', claim('e2'), 0, ['e0'])).toMatchObject({ executionId: 'e1' });
    expect(await store.run('claim', claim('e2'), 0, ['e0', 'e1'])).toBeUndefined();
    await store.run('storeResponse', name, 'e2', { head: '{}', body: Buffer.from('1') });
    expect(await store.run('claim', claim('e3'), 0, ['e2'])).toMatchObject({ executionId: 'e2', head: '{}' });
  });

  test('runs nothing while the store is closed, and says why and what to do', async () => {
    const store = await emptyStore(database);
    const { claim, runs } = keyedCalls(store);
    await store.close();
    await expect(claim('e1')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(
        /^the store .* is closed because Ambit is shutting down\. Nothing has run\. Send the call without Idempotency-Key, or again once the store works$/,
      ),
    });
    expect(runs()).toBe(0);
  });

  /** Three calls of one caller and one of another that end together, and their repeated responses, the other caller's last. */
  async function endedTogether(eachMax: number, text: string) {
    const calls = keyedCalls(await emptyStore(database), { bodyBytes: { totalMax: 64 * mebibyte, eachMax } });
    const end = Promise.withResolvers<void>();
    const keys = ['k1', 'k2', 'k3'];
    const call = (key: string, over: Partial<typeof keyUse> = {}) =>
      calls.claim(`e-${key}`, { key, ...over }, async () => {
        await end.promise;
        return resultOf(text);
      });
    const begun = [...keys.map((key) => call(key)), call('k1', { actor: 'bob' })];
    await Promise.all(begun);
    end.resolve();
    expect(await Promise.all(begun.map(answered))).toEqual(Array(4).fill(['new', text]));
    const again = await Promise.allSettled([...keys.map((key) => call(key)), call('k1', { actor: 'bob' })]);
    const said = again.map((one) => (one.status === 'fulfilled' ? one.value.is : String(one.reason.code)));
    // The order of the three is not defined.
    return { ...calls, again: [...said.slice(0, 3).sort(), said[3]] };
  }
});

test('the file of SQLite contains neither key nor caller', async () => {
  const file = `${await temporaryFolder()}/store.db`;
  const store = openSqlite(file);
  await answered(keyedCalls(store).claim('e1', { key: 'very-secret-key' }));
  await store.close();
  const content = await readFile(file, 'latin1');
  expect(content).toContain(keyedCall({ ...keyUse, key: 'very-secret-key' }, '').name);
  expect(content).not.toMatch(/very-secret-key|\bada\b/);
});
