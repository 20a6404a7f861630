import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEvent, AuditLog } from '../packages/core/src/audit.ts';
import { usedNothing } from '../packages/core/src/outcome.ts';
import { noCapabilities } from '../packages/core/src/policy.ts';
import { type BareLog, bareLog } from '../packages/server/src/audit/testing/bare-log.ts';
import { openAuditLog } from '../packages/server/src/index.ts';

/** Concurrent callers: each appends its next event when the previous one is durable. */
const callers = [1, 32, 256];
/** Short slices in turn, so other load on the machine affects all contenders equally. */
const rounds = 15;
const sliceMs = 500;
const rowsInATransaction = 100;

/** The result of one slice. */
interface Slice {
  perSecond: number;
  /** The event loop delay, p99. */
  delayMs: number;
}

/**
 * Durable events per second through the log, compared with a loop that only inserts the same rows.
 */
export async function auditBench(folder: string): Promise<void> {
  const bare = bareLog(join(folder, 'bare.db'));
  const logs = await Promise.all(
    callers.map(async (waiting) => ({
      waiting,
      log: await openAuditLog({ file: join(folder, `${waiting}.db`) }),
    })),
  );
  const [bareSlices, idle] = [[] as number[], [] as number[]];
  const slices = logs.map(() => [] as Slice[]);
  for (let round = 0; round < rounds; round++) {
    bareSlices.push(bareRate(bare));
    idle.push((await delayDuring(() => sleep(sliceMs)))[1]);
    for (const [index, { waiting, log }] of logs.entries())
      slices[index]?.push(await portSlice(log, waiting));
  }
  for (const { log } of logs) await log.close();
  bare.close();
  console.log('The audit log: durable events per second, and the event loop delay meanwhile (medians)\n');
  console.log(line(`bare loop, ${rowsInATransaction} rows per transaction`, median(bareSlices), 1));
  console.log(line('nothing', 0, 0, median(idle)));
  for (const [index, { waiting }] of logs.entries()) {
    const of = slices[index] ?? [];
    const ratios = of.map(({ perSecond }, round) => perSecond / (bareSlices[round] ?? Number.NaN));
    console.log(
      line(
        `${waiting} waiting`,
        median(of.map(({ perSecond }) => perSecond)),
        median(ratios),
        median(of.map(({ delayMs }) => delayMs)),
      ),
    );
  }
}

/** Rows are prepared in advance, so only the inserts and commits of the loop are measured. */
function bareRate(log: BareLog): number {
  const rows = log.prepare(Array.from({ length: 5000 }, () => callEvents(crypto.randomUUID())).flat());
  const startedAt = performance.now();
  for (let from = 0; from < rows.length; from += rowsInATransaction) {
    log.commit(rows.slice(from, from + rowsInATransaction));
  }
  return rows.length / ((performance.now() - startedAt) / 1000);
}

async function portSlice(log: AuditLog, waiting: number): Promise<Slice> {
  const startedAt = performance.now();
  let count = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() - startedAt < sliceMs) {
      for (const event of callEvents(crypto.randomUUID())) {
        await log.append(event);
        count += 1;
      }
    }
  };
  const [, delayMs] = await delayDuring(() => Promise.all(Array.from({ length: waiting }, caller)));
  return { perSecond: count / ((performance.now() - startedAt) / 1000), delayMs };
}

/** The result of a function, and the p99 event loop delay while it ran. */
async function delayDuring<T>(run: () => Promise<T>): Promise<[T, number]> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const result = await run();
  delay.disable();
  // The measured delay includes the sampling period.
  return [result, delay.percentile(99) / 1e6 - 1];
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function line(what: string, perSecond: number, ratio: number, delayMs?: number): string {
  return [
    `  ${what.padEnd(34)}`,
    perSecond === 0 ? ''.padStart(10) : `${Math.round(perSecond).toLocaleString('en')}/s`.padStart(10),
    ratio === 0 ? ''.padStart(7) : `${ratio.toFixed(2)} ×`.padStart(7),
    delayMs === undefined ? '' : `delay p99 ${delayMs.toFixed(1)} ms`,
  ].join('  ');
}

/** A typical call: it starts and succeeds. */
export function callEvents(executionId: string): AuditEvent[] {
  return [
    {
      kind: 'call.started',
      executionId,
      time: 1_700_000_000_000,
      via: 'http',
      actor: 'key',
      skill: { id: 'csv-profile', version: '1.0.0', digest: `sha256:${'d'.repeat(64)}`, tier: 'local' },
      policyDigest: `sha256:${'p'.repeat(64)}`,
      requested: noCapabilities,
      input: { digest: `sha256:${'i'.repeat(64)}`, bytes: 400 },
    },
    {
      kind: 'call.finished',
      executionId,
      time: 1_700_000_000_040,
      granted: noCapabilities,
      limits: {
        timeoutMs: 60_000,
        memoryBytes: 2 ** 28,
        cpuMs: 5000,
        processes: 32,
        fileBytes: 2 ** 26,
        outputBytes: 2 ** 20,
        fuel: null,
      },
      sandbox: 'bubblewrap',
      outcome: 'succeeded',
      failure: null,
      output: { digest: `sha256:${'o'.repeat(64)}`, bytes: 800 },
      usage: { durationMs: 40.25, queueMs: 0.1, cpuMs: 31.5, memoryPeakBytes: 9_000_000, fuelConsumed: null },
      used: usedNothing,
      denied: [],
    },
  ];
}
