// Threat model: T260, T261

import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { CallStarted, RecordedPayload, Verification } from '@ambit/core/audit';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { byHand } from '../../store/testing/by-hand.ts';
import { eventRow } from '../log/event-row.ts';
import { logTable } from '../log/log-table.ts';
import { openLogFile } from '../log/open-log-file.ts';
import type { OpenAuditLog } from '../open-audit-log.ts';
import { keyFileOf } from '../sign/audit-key.ts';
import { checkpointTable } from '../sign/checkpoint-table.ts';
import { logKey } from '../sign/log-key.ts';
import { ending, openLog, rejection, started } from '../testing/audit-files.ts';
import { walkLog } from '../testing/walk-log.ts';
import { walkLog as verifyHere } from '../verify/walk-log.ts';
import { type PruneRules, previewPruning } from './plan-pruning.ts';
import { type PrunableLog, pruneLog } from './prune-log.ts';
import { allowPruning, pruneStep } from './prune-step.ts';
import { signPruning } from './sign-pruning.ts';

const dayMs = 24 * 60 * 60 * 1000;
const now = 100 * dayMs;
const keepAll: PruneRules = { retentionDays: null, retentionBytes: null, prune: 'payloads' };
const oldPayloads: PruneRules = { ...keepAll, retentionDays: 10 };
const oldEvents: PruneRules = { ...oldPayloads, prune: 'events' };

test('payloads beyond the age limit are removed, younger ones and all events are retained', async () => {
  const { log, file } = await openLog();
  await log.append(startedAt('old', 89 * dayMs), payload('old input'));
  await log.append(rejectionAt('old', 'b', 89 * dayMs));
  await log.append(ended('old', 89 * dayMs), payload('old output'));
  await log.append(startedAt('young', 91 * dayMs), payload('young input'));
  await log.append(ended('young', 91 * dayMs));
  const { hash } = await third(log);
  const gone = await pruneLog(log, oldPayloads, () => now);
  expect(gone).toEqual([{ what: 'payloads', through: 3, hash, count: 2 }]);
  expect(kept(file)).toEqual(['young input']);
  const { events, flaws } = walkLog(file);
  expect({ flaws, kinds: events.map(({ event }) => event.kind) }).toEqual({
    flaws: [],
    kinds: ['call.started', 'auth.rejected', 'call.denied', 'call.started', 'call.denied', 'log.pruned'],
  });
  expect(await pruneLog(log, oldPayloads, () => now)).toEqual([]);
});

test('events beyond the age limit are removed up to a checkpoint, and the chain continues from its hash', async () => {
  const { log, file } = await openLog();
  for (const name of ['a', 'b', 'c', 'd']) await log.append(rejectionAt('old', name, 1 * dayMs));
  expect(await pruneLog(log, oldEvents, () => now)).toEqual([]);
  checkpoint(file, 3);
  expect(previewPruning(file, oldEvents, now)).toMatchObject({ what: 'events', through: 3, count: 3 });
  expect(walkLog(file).events).toHaveLength(4);
  const { hash } = await third(log);
  expect(await pruneLog(log, oldEvents, () => now)).toEqual([{ what: 'events', through: 3, hash, count: 3 }]);
  const { events, flaws } = walkLog(file);
  expect({ flaws, sequences: events.map(({ sequence }) => sequence) }).toEqual({
    flaws: [],
    sequences: [4, 5],
  });
});

test('events of a running call are retained, and all later ones', async () => {
  const { log, file } = await openLog();
  await log.append(rejectionAt('old', 'a', 0));
  await log.append(startedAt('runs', 0), payload('input'));
  await log.append(rejectionAt('old', 'b', 0));
  checkpoint(file, 1);
  checkpoint(file, 3);
  expect(await pruneLog(log, oldEvents, () => now)).toMatchObject([{ through: 1, count: 1 }]);
  expect(await pruneLog(log, oldPayloads, () => now)).toEqual([]);
  await log.append(ended('runs', 0));
  expect(await pruneLog(log, oldEvents, () => now)).toMatchObject([{ through: 3, count: 2 }]);
  expect(kept(file)).toEqual([]);
  expect(walkLog(file).flaws).toEqual([]);
});

test('a limit by size removes the oldest payloads until the rest fits, and the removed bytes are not in the file any more', async () => {
  const { log, file } = await openLog();
  for (let index = 0; index < 40; index++) {
    await log.append(startedAt(`call-${index}`, now), payload(`mark-${index}-${'x'.repeat(100_000)}`));
    await log.append(ended(`call-${index}`, now));
  }
  const gone = await pruneLog(log, { ...keepAll, retentionBytes: 2 * 1024 * 1024 }, () => now);
  expect(gone.length).toBeGreaterThan(0);
  const left = kept(file);
  expect(left.length).toBeGreaterThan(10);
  expect(left.length).toBeLessThan(21);
  expect(left.at(-1)).toMatch(/^mark-39-/);
  expect(walkLog(file).flaws).toEqual([]);
  await log.close();
  expect(new Sqlite(file, { readonly: true }).serialize().includes('mark-0-')).toBe(false);
});

test('events are written in order during large deletions', async () => {
  const { log, file } = await openLog();
  await Promise.all(
    Array.from({ length: 6000 }, (_, index) => log.append(rejectionAt('old', `${index}`, 0))),
  );
  checkpoint(file, 6000);
  let isDone = false;
  const pruning = pruneLog(log, oldEvents, () => now).finally(() => {
    isDone = true;
  });
  let written = 0;
  while (!isDone) await log.append(rejectionAt('young', `${written++}`, now));
  await pruning;
  expect(written).toBeGreaterThan(3);
  const { events, flaws } = walkLog(file);
  expect({ flaws, count: events.length }).toEqual({ flaws: [], count: written + 1 });
});

test('what a killed daemon recorded as pruned but did not delete is removed next time', async () => {
  const { log, file } = await openLog();
  await log.append(rejectionAt('old', 'a', 0));
  checkpoint(file, 1);
  const plan = await log.planPruning(oldEvents, now);
  if (plan === undefined) throw new Error('there is something to prune');
  await log.append({ kind: 'log.pruned', time: now, ...plan });
  expect(walkLog(file).flaws).toEqual([]);
  // As left by a daemon that is killed before it deletes.
  byHand(
    file,
    "INSERT INTO meta (key, value) VALUES ('events_pruned_through', '1'), ('payloads_pruned_through', '1')",
  );
  await pruneLog(log, keepAll, () => now);
  expect(walkLog(file)).toMatchObject({ flaws: [], events: [{ sequence: 2 }] });
});

test('after any prunings the rest verifies, and nothing younger is missing', async () => {
  const step = fc.record({
    age: fc.integer({ min: 0, max: 20 }),
    closes: fc.boolean(),
    checkpoint: fc.boolean(),
    prune: fc.option(fc.constantFrom('payloads' as const, 'events' as const), { freq: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
      const { log, file, sign, verified, close } = await logInThisThread();
      const young: string[] = [];
      for (const [index, { age, closes, checkpoint: isSigned, prune }] of steps.entries()) {
        const [id, time] = [`call-${index}`, now - age * dayMs];
        await log.append(startedAt(id, time, id), payload(id));
        if (closes) await log.append(ended(id, time));
        if (age <= 10) young.push(id);
        if (isSigned) sign();
        if (prune) await pruneLog(log, { ...keepAll, retentionDays: 10, prune }, () => now);
      }
      const { events, flaws } = walkLog(file);
      const left = events.flatMap(({ event }) => (event.kind === 'call.started' ? [event.executionId] : []));
      expect({ flaws, verified: verified() }).toMatchObject({ flaws: [], verified: { intact: true } });
      expect(young.filter((id) => !left.includes(id) || !kept(file).includes(id))).toEqual([]);
      close();
    }),
    { numRuns: 40 },
  );
});

/** The writer thread's work on this thread: starting a thread for each of many logs is slow. */
async function logInThisThread(): Promise<{
  log: PrunableLog;
  file: string;
  sign(): void;
  verified(): Verification;
  close(): void;
}> {
  const file = join(await temporaryFolder(), 'audit.db');
  const database = openLogFile(file);
  const key = logKey(database, keyFileOf(file));
  const table = logTable(database, checkpointTable(database, key), () => undefined);
  const log: PrunableLog = {
    async append(event, kept) {
      const [place] = table.append([eventRow(event, { payload: kept })]);
      if (place === undefined || place instanceof Error) throw place;
      return { sequence: place.sequence, hash: '' };
    },
    async planPruning(rules, time) {
      const plan = previewPruning(file, rules, time);
      return plan && signPruning(database, key, plan);
    },
    async prune(plan) {
      if (plan !== null) allowPruning(database, plan);
      while (!pruneStep(database));
    },
  };
  return {
    log,
    file,
    sign: table.checkpoint,
    verified: () => verifyHere(database, { outside: [] }, () => undefined),
    close: () => database.close(),
  };
}

/** `text` is the stored input. */
function startedAt(executionId: string, time: number, text?: string): CallStarted {
  const stored = text === undefined ? undefined : { digest: `sha256:${sha256Hex(text)}`, bytes: text.length };
  return started(executionId, { time, ...(stored && { stored }) });
}

function ended(executionId: string, time: number) {
  return { ...ending(executionId), time };
}

function rejectionAt(group: string, name: string, time: number) {
  return { ...rejection(`${group}-${name}`), time };
}

function payload(text: string): RecordedPayload {
  return { of: 'input', text, isCut: false };
}

async function third(log: OpenAuditLog): Promise<{ hash: string }> {
  const [event] = await log.events(3, 1);
  if (event === undefined) throw new Error('there is a third event');
  return event;
}

/** As if it had been signed at that event. */
function checkpoint(file: string, sequence: number): void {
  byHand(
    file,
    `INSERT OR IGNORE INTO checkpoints (sequence, signed) VALUES (${sequence}, '${sha256Hex(String(sequence))}')`,
  );
}

function sha256Hex(text: string): string {
  return hash('sha256', text);
}

function kept(file: string): string[] {
  const database = new Sqlite(file, { readonly: true });
  try {
    return database.prepare<[], string>('SELECT text FROM payloads ORDER BY sequence').pluck().all();
  } finally {
    database.close();
  }
}
