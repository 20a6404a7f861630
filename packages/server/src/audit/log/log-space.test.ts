// Threat model: T308, T309, T316

import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SkillError } from '@ambit/core';
import type { AuditEvent } from '@ambit/core/audit';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { type OpenAuditLog, openAuditLog } from '../open-audit-log.ts';
import { pruneLog } from '../retention/prune-log.ts';
import { beginning, ending, rejection } from '../testing/audit-files.ts';
import { walkLog } from '../testing/walk-log.ts';
import { growReserve } from './grow-reserve.ts';
import type { SpaceRules } from './log-space.ts';

/** Root in a container may lack the permission. */
const mayMount = process.geteuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0;
const mebibyte = 2 ** 20;
const rules = { warnFreeBytes: 40 * mebibyte, minFreeBytes: 16 * mebibyte, reserveBytes: 16_000_000 };
const calls = Array.from({ length: 300 }, (_, at) => `call ${at}`);

test.runIf(mayMount)(
  'a full disk refuses new calls and records running ones to their end; with space again all are recorded (needs root, to mount)',
  async () => {
    const { log, file, folder, notes } = await logOnSmallDisk(rules);
    while (statSync(`${file}-wal`).size < rules.reserveBytes) await delay(20);
    for (const id of calls) await log.append(beginning(id));
    fill(folder);
    const short = `the disk of the audit log ${file} has 0 MiB free, less than audit.minFreeBytes (16 MiB); free some space to accept calls again`;
    for (const event of [beginning('late'), rejection('late'), created])
      await expect(log.append(event)).rejects.toEqual(new SkillError('AUDIT_UNAVAILABLE', short));
    for (const id of calls) await log.append(ending(id));
    await log.append(stopped);
    rmSync(join(folder, 'ballast'));
    await log.append(beginning('after'));
    const { events, flaws } = walkLog(file);
    expect(flaws).toEqual([]);
    expect(events.map(({ event }) => event.executionId ?? event.kind)).toEqual([
      ...[...calls, ...calls],
      ...['daemon.stopped', 'after'],
    ]);
    expect(notes).toEqual([
      'the disk of the audit log has 0 MiB free, less than audit.minFreeBytes (16 MiB); new calls are refused, and running calls are recorded to their end; free some space',
      expect.stringMatching(/^the disk of the audit log has enough space again: \d+ MiB free$/),
    ]);
  },
);

test.runIf(mayMount)(
  'without a reserve the ends of calls do not fit on a full disk (needs root, to mount)',
  async () => {
    const { log, folder } = await logOnSmallDisk({ ...rules, reserveBytes: 0 });
    for (const id of calls) await log.append(beginning(id));
    fill(folder);
    const ends = async () => {
      for (const id of calls) await log.append(ending(id));
    };
    await expect(ends()).rejects.toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      cause: { code: 'SQLITE_FULL' },
    });
  },
);

test.runIf(mayMount)(
  'a log that has filled its disk can be pruned, and its free pages then count as space (needs root, to mount)',
  async () => {
    const { log, folder } = await logOnSmallDisk(rules);
    const text = 'x'.repeat(mebibyte);
    for (const id of calls.slice(0, 20)) {
      await log.append(beginning(id), { of: 'input', text, isCut: false });
      await log.append(ending(id));
    }
    fill(folder);
    expect(await log.room()).toBe('short');
    await expect(log.append(beginning('refused'))).rejects.toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
    const payloads = { retentionDays: 1, retentionBytes: null, prune: 'payloads' } as const;
    expect(await pruneLog(log, payloads, () => 2 * 86_400_000)).toMatchObject([
      { what: 'payloads', count: 20 },
    ]);
    expect(await log.room()).toBe('low');
    await log.append(beginning('taken'));
  },
);

test('a reserve grows in steps after the existing data, and uses no space that calls need', async () => {
  const wal = join(await temporaryFolder(), 'audit.db-wal');
  writeFileSync(wal, 'frames');
  const reserveBytes = 2.5 * mebibyte;
  expect(growReserve(wal, { ...rules, reserveBytes, minFreeBytes: Number.MAX_SAFE_INTEGER })).toBe(false);
  expect(readFileSync(wal, 'utf8')).toBe('frames');
  const grown = [];
  while (growReserve(wal, { ...rules, reserveBytes, minFreeBytes: 0 })) grown.push(statSync(wal).size);
  expect(grown).toEqual([mebibyte + 6, 2 * mebibyte + 6, reserveBytes]);
  expect(readFileSync(wal).equals(Buffer.concat([Buffer.from('frames')], reserveBytes))).toBe(true);
});

test('reports low space once, and enough space once when there is enough again', async () => {
  const file = join(await temporaryFolder(), 'audit.db');
  const notes: string[] = [];
  const open = (space: SpaceRules) =>
    openAuditLog({ file, space, onNote: (note) => notes.push(note.replaceAll(/\d+ MiB/g, 'N MiB')) });
  const most = Number.MAX_SAFE_INTEGER;
  const none = { warnFreeBytes: 0, minFreeBytes: 0, reserveBytes: 0 };
  const enough = await open(none);
  await enough.append(rejection('a'));
  await enough.close();
  const low = await open({ ...none, warnFreeBytes: most });
  await low.append(rejection('b'));
  await low.append(rejection('c'));
  await low.close();
  const short = await open({ ...none, warnFreeBytes: most, minFreeBytes: most });
  for (const id of ['d', 'e'])
    await expect(short.append(rejection(id))).rejects.toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
  await short.append(stopped);
  await short.close();
  expect(notes).toEqual([
    'the disk of the audit log has N MiB free, less than audit.warnFreeBytes (N MiB); free some space, or prune the log',
    'the disk of the audit log has N MiB free, less than audit.minFreeBytes (N MiB); new calls are refused, and running calls are recorded to their end; free some space',
  ]);
  expect(walkLog(file)).toMatchObject({ flaws: [], events: { length: 4 } });
});

const stopped: AuditEvent = { kind: 'daemon.stopped', time: 1, reason: 'shutdown' };
const created: AuditEvent = {
  kind: 'workspace.created',
  time: 1,
  workspace: 'w',
  actor: 'key',
  quotaBytes: 1,
  expiresAt: 2,
};

async function logOnSmallDisk(space: SpaceRules) {
  const folder = await temporaryFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder]);
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]));
  const file = join(folder, 'audit.db');
  const notes: string[] = [];
  const log: OpenAuditLog = await openAuditLog({ file, space, onNote: (note) => notes.push(note) });
  onTestFinished(() => log.close());
  return { log, file, folder, notes };
}

/** To the last byte. */
function fill(folder: string): void {
  const descriptor = openSync(join(folder, 'ballast'), 'w');
  try {
    for (;;) writeSync(descriptor, Buffer.alloc(64 * 1024));
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  } finally {
    closeSync(descriptor);
  }
}
