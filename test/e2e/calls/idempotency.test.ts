// Threat model: T273

// Tests that stop, restart or configure a daemon start their own; the others share one.

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startDaemon } from '../../support/daemon.ts';
import type { Daemon } from '../../support/daemon-process.ts';
import { laterRecords } from '../../support/later-records.ts';
import { sqlite } from '../../support/sqlite.ts';
import { until } from '../../support/until.ts';
import { eventsIn } from '../support/streams.ts';
import { sharedWaiter, waiter, waiterWorld } from '../support/waiter.ts';

const csv = { input: { csv: 'a\n1\n' } };

const { daemon, file: newFile } = sharedWaiter();

/** The bytes of an answer. */
interface Bytes {
  status: number;
  replayed: string | null;
  text: string;
}

async function send(
  { url, key }: Daemon,
  idempotencyKey: string,
  body: object = csv,
  {
    path = '/skills/csv-profile/execute',
    headers = {},
    signal,
  }: {
    path?: string;
    headers?: Record<string, string>;
    signal?: AbortSignal;
  } = {},
): Promise<Bytes> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': `"${idempotencyKey}"`,
      ...headers,
    },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  return {
    status: response.status,
    replayed: response.headers.get('idempotency-replayed'),
    text: await response.text(),
  };
}

test('a repeated chain runs once', async () => {
  const records = await laterRecords(daemon());
  const chain = { ...csv, steps: [{ skill: 'csv-profile' }] };
  const first = await send(daemon(), 'chain', chain, { path: '/chain' });
  expect(await send(daemon(), 'chain', chain, { path: '/chain' })).toEqual({ ...first, replayed: 'true' });
  expect(await records()).toHaveLength(1);
});

test('a repeated batch runs once, unless none of its calls ran', async () => {
  const records = await laterRecords(daemon());
  const calls = [{ skill: 'csv-profile', ...csv }, { skill: 'none' }];
  const first = await send(daemon(), 'batch', { calls }, { path: '/batch' });
  expect(first).toMatchObject({ status: 200, replayed: null });
  expect(await send(daemon(), 'batch', { calls }, { path: '/batch' })).toEqual({
    ...first,
    replayed: 'true',
  });
  const refused = { calls: [{ skill: 'none' }] };
  for (const key of ['refused', 'refused'])
    expect(await send(daemon(), key, refused, { path: '/batch' })).toMatchObject({
      status: 200,
      replayed: null,
    });
  expect((await records()).map(({ outcome }) => outcome).toSorted()).toEqual([
    ...['denied', 'denied', 'denied', 'succeeded'],
  ]);
});

test('the same key is refused with another body, and independent on another route', async () => {
  await send(daemon(), 'same');
  const other = await send(daemon(), 'same', { input: { csv: 'b\n2\n' } });
  expect([other.status, JSON.parse(other.text).code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  expect(
    await send(daemon(), 'same', { ...csv, steps: [{ skill: 'csv-profile' }] }, { path: '/chain' }),
  ).toMatchObject({ status: 200, replayed: null });
});

test('two simultaneous requests with one key run once and get the same bytes', async () => {
  const records = await laterRecords(daemon(), 'skill=waiter');
  const file = newFile();
  const ask = (headers?: Record<string, string>) =>
    send(
      daemon(),
      'both',
      { input: file.path },
      { path: '/skills/waiter/execute', ...(headers && { headers }) },
    );
  const both = [ask(), ask()];
  await until(async () => (await records()).length === 1);
  // A request during the run may get the answer in another form.
  const accepted = await ask({ prefer: 'respond-async' });
  expect([accepted.status, accepted.replayed, JSON.parse(accepted.text).status]).toEqual([
    202,
    'true',
    expect.stringMatching(/queued|running/),
  ]);
  const streamed = ask({ accept: 'text/event-stream' });
  await file.make();
  const [a, b] = await Promise.all(both);
  expect([a?.text, [a?.replayed, b?.replayed].sort()]).toEqual([b?.text, ['true', null].sort()]);
  expect(eventsIn((await streamed).text).at(-1)?.data).toEqual(JSON.parse(a?.text ?? ''));
  expect(await records()).toHaveLength(1);
});

test('a call with a key continues when its client disconnects, and the client fetches its answer later', async () => {
  const records = await laterRecords(daemon(), 'skill=waiter');
  const file = newFile();
  const client = new AbortController();
  const where = { path: '/skills/waiter/execute' };
  const gone = send(daemon(), 'gone', { input: file.path }, { ...where, signal: client.signal }).catch(
    () => 'gone',
  );
  await until(async () => (await records()).length === 1);
  client.abort();
  expect(await gone).toBe('gone');
  await file.make();
  const again = await send(daemon(), 'gone', { input: file.path }, where);
  expect([again.replayed, JSON.parse(again.text).outcome.status]).toEqual(['true', 'succeeded']);
  expect(await records()).toMatchObject([{ outcome: 'succeeded' }]);
});

test('a repeated request runs once and gets the same bytes, also after kill -9, and a call that it interrupted does not run again with its key, unless its skill is idempotent and the operator allows it', async () => {
  const idempotent = {
    ...waiter,
    'ambit.yaml': waiter['ambit.yaml']?.replace('{', '{"idempotent":true,') ?? '',
  };
  const { config: made, file: own } = await waiterWorld({ allowed: idempotent, idempotent });
  const { grants } = made;
  const config = {
    ...made,
    grants: { waiter: grants.waiter, allowed: grants.waiter, idempotent: grants.waiter },
    idempotency: { rerunInterrupted: ['allowed', 'waiter'] },
  };
  const [daemon, file] = [await startDaemon(config), own()];
  const first = await send(daemon, 'k0');
  expect(first).toMatchObject({ status: 200, replayed: null });
  expect(await send(daemon, 'k0')).toEqual({ ...first, replayed: 'true' });
  const where = { path: '/skills/waiter/execute' };
  const others = ['allowed', 'idempotent'].map((skill) => ({ path: `/skills/${skill}/execute` }));
  const calls = [where, ...others].map((each, at) =>
    send(daemon, `k${at + 1}`, { input: file.path }, each).catch(() => 'gone'),
  );
  await until(async () => (await daemon.audit('?outcome=running')).length === 3);
  const [running] = await daemon.audit('?skill=allowed');
  await daemon.stop('SIGKILL');
  expect(await Promise.all(calls)).toEqual(['gone', 'gone', 'gone']);
  await file.make();

  const next = await startDaemon(config, { dataDir: daemon.dataDir });
  expect(await send(next, 'k0')).toEqual({ ...first, replayed: 'true' });
  const { executionId: original } = JSON.parse(first.text);
  expect(await next.audit('?skill=csv-profile')).toMatchObject([
    { executionId: original, outcome: 'succeeded' },
  ]);
  // The line is written after the answer.
  await expect.poll(() => next.logged()).toContain(`"replayOf":"${original}"`);
  expect((await stat(join(daemon.dataDir, 'store.db'))).mode & 0o777).toBe(0o600);

  const again = await send(next, 'k2', { input: file.path }, others[0]);
  expect([again.status, again.replayed, JSON.parse(again.text).outcome.output]).toEqual([
    ...[200, null, 'released'],
  ]);
  expect(JSON.parse(again.text).executionId).not.toBe(running.executionId);
  expect(await send(next, 'k2', { input: file.path }, others[0])).toEqual({ ...again, replayed: 'true' });
  expect(await next.audit('?skill=allowed')).toMatchObject([
    { outcome: 'succeeded' },
    { executionId: running.executionId, outcome: 'interrupted' },
  ]);
  expect((await send(next, 'k3', { input: file.path }, others[1])).status).toBe(409);
  const [{ executionId }] = await next.audit('?skill=waiter');
  const refused = await send(next, 'k1', { input: file.path }, where);
  expect([refused.status, JSON.parse(refused.text)]).toMatchObject([
    409,
    { code: 'IDEMPOTENCY_INTERRUPTED', originalExecutionId: executionId },
  ]);
  expect((await next.request('GET', `/executions/${executionId}`)).body).toMatchObject({
    outcome: 'interrupted',
  });
  expect(await send(next, 'k4', { input: file.path }, where)).toMatchObject({ status: 200, replayed: null });
});

test('a call that is refused before it runs does not use up its key', async () => {
  const records = await laterRecords(daemon());
  const path = { path: '/skills/none/execute' };
  const ids = [await send(daemon(), 'none', csv, path), await send(daemon(), 'none', csv, path)].map(
    ({ status, replayed, text }) => [status, replayed, JSON.parse(text).executionId],
  );
  expect(ids).toEqual([
    [404, null, expect.any(String)],
    [404, null, expect.any(String)],
  ]);
  expect(ids[0]?.[2]).not.toBe(ids[1]?.[2]);
  expect(await records()).toHaveLength(2);
});

test('a daemon that stores no responses refuses keys and removes stored responses', async () => {
  const daemon = await startDaemon();
  await send(daemon, 'k1', { input: { csv: 'remembered\n1\n' } });
  await daemon.stop();
  const stored = () => readFile(join(daemon.dataDir, 'store.db'), 'latin1');
  expect(await stored()).toContain('remembered');
  const next = await startDaemon({ idempotency: { retentionHours: 0 } }, { dataDir: daemon.dataDir });
  const refused = await send(next, 'k1');
  expect([refused.status, JSON.parse(refused.text).detail]).toEqual([
    400,
    expect.stringMatching(/^idempotency keys are disabled/),
  ]);
  const claims = () => sqlite(join(daemon.dataDir, 'store.db'), 'SELECT count(*) FROM claims');
  await expect.poll(claims).toBe('0');
  await next.stop();
  expect(await stored()).not.toContain('remembered');
});
