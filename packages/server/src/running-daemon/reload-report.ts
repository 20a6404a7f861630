import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrdinaryFile, writeDurably } from '@ambit/runtime';
import { z } from 'zod';

/** The result of a reload. */
export const ReloadReport = z.object({
  /** `refused`: the previous configuration remains in force. */
  outcome: z.enum(['applied', 'unchanged', 'refused']),
  /** Milliseconds since the epoch: the file was read after this. */
  beganAt: z.number(),
  /** The changed keys. */
  changed: z.array(z.string()),
  /** All reasons of a refusal; otherwise empty. */
  issues: z.array(z.string()),
  policyDigest: z.string(),
  /** Identifies the configuration in force now (see `configDigest`). */
  configDigest: z.string(),
});
export type ReloadReport = z.output<typeof ReloadReport>;

/** The part of a report that a person reads. */
export type ReloadResult = Omit<ReloadReport, 'beganAt' | 'configDigest'>;

/** The last report of the daemon that uses a data directory; `undefined` if it has not reloaded. */
export async function readReloadReport(dataDir: string): Promise<ReloadReport | undefined> {
  try {
    return ReloadReport.parse(JSON.parse((await readOrdinaryFile(fileOf(dataDir))).toString()));
  } catch {
    return undefined;
  }
}

/** Writes the report for the sender of the signal, atomically and with mode 600. */
export async function writeReloadReport(dataDir: string, report: ReloadReport): Promise<void> {
  await writeDurably(fileOf(dataDir), `${JSON.stringify(report)}\n`);
}

/** Removes the report of a previous daemon at the start. */
export async function forgetReloadReport(dataDir: string): Promise<void> {
  await rm(fileOf(dataDir), { force: true });
}

function fileOf(dataDir: string): string {
  return join(dataDir, 'reload.json');
}
