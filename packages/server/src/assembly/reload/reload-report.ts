import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrdinaryFile, writeDurably } from '@ambit/runtime';
import { z } from 'zod';

/** What came of reading the configuration again. */
export const ReloadReport = z.object({
  /** `unchanged`: it says what it said. `refused`: it cannot be used, and what held before holds. */
  outcome: z.enum(['applied', 'unchanged', 'refused']),
  /** Milliseconds since the epoch: the file was read after this. */
  beganAt: z.number(),
  /** What is otherwise than before, by its place in the configuration. */
  changed: z.array(z.string()),
  /** Why it was refused, every reason; else empty. */
  issues: z.array(z.string()),
  policyDigest: z.string(),
});
export type ReloadReport = z.output<typeof ReloadReport>;

/** The last report of the daemon that holds a data directory; `undefined` when it has read nothing again. */
export async function readReloadReport(dataDir: string): Promise<ReloadReport | undefined> {
  try {
    return ReloadReport.parse(JSON.parse((await readOrdinaryFile(fileOf(dataDir))).toString()));
  } catch {
    return undefined;
  }
}

/** Leaves a report for whoever asked by a signal, who gets no other answer. Mode 600; the last one is replaced whole. */
export async function writeReloadReport(dataDir: string, report: ReloadReport): Promise<void> {
  await writeDurably(fileOf(dataDir), `${JSON.stringify(report)}\n`);
}

/** For a daemon that starts: what one before it reported is of no interest any more. */
export async function forgetReloadReport(dataDir: string): Promise<void> {
  await rm(fileOf(dataDir), { force: true });
}

function fileOf(dataDir: string): string {
  return join(dataDir, 'reload.json');
}
