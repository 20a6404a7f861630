// Threat model: T308, T309

import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { OpenAuditLog } from '../open-audit-log.ts';
import { keyFileOf } from '../sign/audit-key.ts';
import { beginning, ending, opened, rejection } from '../testing/audit-files.ts';
import { walkLog } from '../testing/walk-log.ts';
import { eventRow } from './event-row.ts';
import { logWriter } from './log-writer.ts';

test('events appended in one turn are durable in the order of the calls, and each call gets its position', async () => {
  const { log, file } = await openLog();
  const ids = Array.from({ length: 2000 }, (_, index) => `${index}`);
  const positions = await Promise.all(ids.map((id) => log.append(rejection(id))));
  expect(positions.map(({ sequence }) => sequence)).toEqual(ids.map((_, index) => index + 1));
  const { events, flaws } = walkLog(file);
  expect({ flaws, ids: events.map(({ event }) => event.executionId) }).toEqual({ flaws: [], ids });
  const stored = await log.events(1, 2000);
  expect(positions).toEqual(stored.map(({ sequence, hash }) => ({ sequence, hash })));
});

test('an event waits for others while many calls run, and is written even if none arrives', async () => {
  const { log, file } = await openLog();
  const ids = Array.from({ length: 20 }, (_, index) => `${index}`);
  for (const id of ids) await log.append(beginning(id));
  expect(await log.append(ending('7'))).toMatchObject({ sequence: 21 });
  const rest = ids.filter((id) => id !== '7');
  const ends = await Promise.all(rest.map((id) => log.append(ending(id))));
  expect(ends.map(({ sequence }) => sequence)).toEqual(rest.map((_, index) => 22 + index));
  expect(walkLog(file)).toMatchObject({ flaws: [], events: { length: 40 } });
});

test('an event that may wait is written with the next one, or alone if none arrives', async () => {
  const { log, file } = await openLog();
  let waited = false;
  const first = log.append(beginning('a'), undefined, { mayWait: true }).then(() => (waited = true));
  await setImmediate();
  expect([waited, walkLog(file).events]).toEqual([false, []]);
  const [, { sequence }] = await Promise.all([first, log.append(ending('a'))]);
  expect(sequence).toBe(2);
  expect(await log.append(beginning('b'), undefined, { mayWait: true })).toMatchObject({ sequence: 3 });
  expect(walkLog(file)).toMatchObject({ flaws: [], events: { length: 3 } });
});

test('calls whose events share a commit, or are refused, no longer count as running', async () => {
  const { log } = await openLog();
  for (let call = 0; call < 20; call += 1) {
    const begun = log.append(beginning(`${call}`), undefined, { mayWait: true });
    await Promise.all([begun, log.append(ending(`${call}`))]);
    await log.append(beginning(`${call}`)).catch(() => undefined);
  }
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  await log.append(rejection('alone'));
  expect(timers.mock.calls).toEqual([]);
});

test('an invalid event is refused alone; the others of its batch are written', async () => {
  const { log, file } = await openLog();
  await log.append(rejection('old'));
  const batch = [
    beginning('a'),
    beginning('a'),
    rejection('old'),
    ending('never opened'),
    ending('a'),
    ending('a'),
    rejection('b'),
    rejection('b'),
    beginning('c'),
  ];
  const settled = await Promise.allSettled(batch.map((event) => log.append(event)));
  expect(settled.map((one) => (one.status === 'fulfilled' ? one.value.sequence : one.reason.code))).toEqual([
    2,
    'INTERNAL',
    'INTERNAL',
    'INTERNAL',
    3,
    'INTERNAL',
    4,
    'INTERNAL',
    5,
  ]);
  expect(walkLog(file)).toMatchObject({ flaws: [], events: { length: 5 } });
});

test('the file lists the open records after each batch, also if a batch opens and closes some', async () => {
  const { log, file } = await openLog();
  const open = (): unknown[] => {
    const other = new Sqlite(file, { readonly: true });
    try {
      return other.prepare('SELECT execution_id, sequence FROM open_records ORDER BY sequence').raw().all();
    } finally {
      other.close();
    }
  };
  const batch = [beginning('a'), beginning('b'), ending('a'), beginning('c'), rejection('d')];
  await Promise.all(batch.map((event) => log.append(event)));
  expect(open()).toEqual([
    ['b', 2],
    ['c', 4],
  ]);
  await Promise.all([ending('b'), beginning('e')].map((event) => log.append(event)));
  expect(open()).toEqual([
    ['c', 4],
    ['e', 7],
  ]);
  await log.append(ending('c'));
  expect(open()).toEqual([['e', 7]]);
});

test('followers get every event once it is durable, in order, until they unsubscribe', async () => {
  const { log, file } = await openLog();
  const heard: unknown[] = [];
  const durable: number[] = [];
  const end = log.follow(({ sequence, event }) => {
    heard.push([sequence, event]);
    durable.push(walkLog(file).events.length);
  });
  await Promise.all([log.append(beginning('a')), log.append(rejection('b'))]);
  await log.append(ending('a'));
  end();
  await log.append(rejection('c'));
  expect(heard).toEqual([
    [1, beginning('a')],
    [2, rejection('b')],
    [3, ending('a')],
  ]);
  expect(durable).toEqual([2, 2, 3]);
});

test('a payload is stored with its event, or not at all', async () => {
  const { log, file } = await openLog();
  const payload = { of: 'input' as const, text: 'kept ☃', isCut: true };
  await log.append(beginning('a'), payload);
  await expect(log.append(beginning('a'), payload)).rejects.toMatchObject({ code: 'INTERNAL' });
  const other = new Sqlite(file, { readonly: true });
  expect(other.prepare('SELECT * FROM payloads').all()).toEqual([
    { sequence: 1, side: 'input', text: 'kept ☃', is_cut: 1 },
  ]);
  other.close();
});

test('closing writes the waiting events first', async () => {
  const { log, file } = await openLog();
  const waiting = Array.from({ length: 3000 }, (_, index) => log.append(rejection(`${index}`)));
  await log.close();
  expect((await Promise.all(waiting)).at(-1)).toMatchObject({ sequence: 3000 });
  expect(walkLog(file)).toMatchObject({ flaws: [], events: { length: 3000 } });
});

test('a writer that is closed first writes its only event, even if that may still wait', async () => {
  const file = join(await temporaryFolder(), 'audit.db');
  const [onWritten, onSigned] = [vi.fn(), vi.fn()];
  // An open log closes its reader first, which takes longer than an event may wait.
  const writer = await logWriter({ file, keyFile: keyFileOf(file), onWritten, onSigned });
  const written = writer.append(eventRow(beginning('a')), true);
  await writer.close();
  expect(walkLog(file)).toMatchObject({ flaws: [], events: [{ event: beginning('a') }] });
  expect(await written).toMatchObject({ sequence: 1 });
});

test('if the writer thread dies, its pending events fail; the next event starts another, and no acknowledged event is lost', async () => {
  const { log, file, thread } = await openLog();
  // More than a thread can write before it is ended; the number that it does write varies.
  const waiting = Array.from({ length: 3000 }, (_, index) => log.append(beginning(`${index}`)));
  // By the next turn the thread has some of them; if it ends before that, nothing fails.
  await setImmediate();
  void thread().terminate();
  const settled = await Promise.allSettled(waiting);
  const failed = settled.filter((each) => each.status === 'rejected');
  expect(failed.length).toBeGreaterThan(0);
  for (const { reason } of failed)
    expect(reason).toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      message: `the audit log ${file} cannot be written because its writer thread ended; try again, which starts another`,
    });
  const { sequence } = await log.append(beginning('after'));
  const { flaws, events } = walkLog(file);
  expect({ flaws, events: events.length }).toEqual({ flaws: [], events: sequence });
  expect(sequence).toBeGreaterThan(settled.length - failed.length);
  await log.close();
});

test('an event that was committed but not acknowledged is found again, and closed as interrupted at the next open', async () => {
  const { log, file, thread } = await openLog();
  const written = Array.from({ length: 400 }, (_, index) =>
    log.append(beginning(`${index}`)).then(
      () => true,
      () => false,
    ),
  );
  // At a random point: only the log has the number of committed events.
  await written[0];
  void thread().terminate();
  const acknowledged = (await Promise.all(written)).flatMap((is, index) => (is ? [`${index}`] : []));
  await log.close();
  const { events } = walkLog(file);
  expect(events.map(({ event }) => event.executionId)).toEqual(expect.arrayContaining(acknowledged));
  const next = await opened(file);
  expect(await next.interruptOpen(5000)).toBe(events.length);
  expect(walkLog(file)).toMatchObject({ flaws: [], events: { length: 2 * events.length } });
});

test('a thread that dies while idle is replaced too', async () => {
  const { log, thread } = await openLog();
  await thread().terminate();
  expect(await log.append(rejection('a'))).toMatchObject({ sequence: 1 });
  await thread().terminate();
  await log.requireWritable();
  expect(await log.append(rejection('b'))).toMatchObject({ sequence: 2 });
});

test('events beyond the limit are refused immediately, and the waiting ones are written', async () => {
  const { log, file } = await openLog();
  const large = 'x'.repeat(8 * 1024 * 1024);
  const settled = await Promise.allSettled(
    Array.from({ length: 10 }, (_, index) => log.append(rejection(`${index}`, large))),
  );
  expect(settled.map(({ status }) => status)).toEqual([
    ...Array<string>(7).fill('fulfilled'),
    ...Array<string>(3).fill('rejected'),
  ]);
  expect(settled.at(-1)).toMatchObject({
    reason: {
      code: 'AUDIT_UNAVAILABLE',
      message: `the audit log ${file} cannot keep up: 7 events are waiting to be written; use a faster disk, or accept fewer calls`,
    },
  });
  expect(await log.append(rejection('after'))).toMatchObject({ sequence: 8 });
});

/** A log on disk, and its current writer thread. */
async function openLog(): Promise<{ log: OpenAuditLog; file: string; thread: () => Worker }> {
  const file = join(await temporaryFolder(), 'audit.db');
  let thread: Worker | undefined;
  const started = (worker: Worker): void => {
    thread = worker;
  };
  process.on('worker', started);
  onTestFinished(() => void process.off('worker', started));
  return {
    log: await opened(file),
    file,
    thread: () => {
      if (thread === undefined) throw new Error('no thread was started');
      return thread;
    },
  };
}
