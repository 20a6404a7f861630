import type { AuditEvent } from '@ambit/core/audit';
import { expect, test } from 'vitest';
import { openLog, rejection } from '../testing/audit-files.ts';
import type { DaemonEventPage, DaemonEventQuery } from './daemon-events.ts';
import { readAuditLog } from './read-audit-log.ts';

const reloaded = (time: number): AuditEvent => ({
  kind: 'config.reloaded',
  time,
  policyDigest: 'sha256:p',
  changed: [],
});
const stopped = (time: number): AuditEvent => ({ kind: 'daemon.stopped', time, reason: 'signal' });

test('finds the events outside calls of a long log by kind, newest first, in pages', async () => {
  const { log, file } = await openLog();
  const calls = (from: number, count: number): AuditEvent[] =>
    Array.from({ length: count }, (_, at) => rejection(`e${from + at}`));
  // Events outside calls are 1, 2, 20003, 20004 and 40005.
  const events = [
    ...[reloaded(1), stopped(2), ...calls(3, 20_000)],
    ...[reloaded(3), stopped(4), ...calls(20_005, 20_000), reloaded(5)],
  ];
  await Promise.all(events.map((event) => log.append(event)));
  const reader = await readAuditLog({ file });
  const found = async (query: DaemonEventQuery) => brief(await wholePage(reader.daemonEvents, query));
  const all = [
    [40_005, 'config.reloaded'],
    [20_004, 'daemon.stopped'],
    [20_003, 'config.reloaded'],
    [2, 'daemon.stopped'],
    [1, 'config.reloaded'],
  ];
  expect(await found({ limit: 9 })).toEqual([all, null]);
  expect(await found({ limit: 2 })).toEqual([all.slice(0, 2), 20_004]);
  expect(await found({ limit: 3, before: 20_004 })).toEqual([all.slice(2), null]);
  expect(await found({ limit: 9, kinds: ['daemon.stopped'] })).toEqual([[all[1], all[3]], null]);
  expect(await found({ limit: 9, kinds: ['key.rotated'] })).toEqual([[], null]);
  expect(await found({ limit: 9, before: 1 })).toEqual([[], null]);
  // New events are found, in a block that was read before.
  await log.append(stopped(6));
  expect(await found({ limit: 1, kinds: ['daemon.stopped'] })).toEqual([
    [[40_006, 'daemon.stopped']],
    40_006,
  ]);
  await reader.close();
});

/** Continues pages that ended early. */
async function wholePage(
  ask: (query: DaemonEventQuery) => Promise<DaemonEventPage>,
  query: DaemonEventQuery,
): Promise<DaemonEventPage> {
  const page = await ask(query);
  if (page.partial === undefined || page.next === null) return page;
  const rest = await wholePage(ask, {
    ...query,
    before: page.next,
    limit: query.limit - page.events.length,
  });
  return { ...rest, events: [...page.events, ...rest.events] };
}

function brief({ events, next }: DaemonEventPage) {
  return [events.map(({ sequence, event }) => [sequence, event.kind]), next];
}
