import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { UsageError } from '@ambit/core/outcome';
import {
  applyMerge,
  type MergePlan,
  type PlannedMerge,
  planMerge,
  type RefusedFolder,
  storedAt,
} from '@ambit/migrate';
import type { CommandContext } from '../command/define-command.ts';
import type { MergeFlags } from '../command/migrate-options.ts';
import { printableLine } from '../output/printable.ts';
import type { Printer } from '../output/printer.ts';
import { validateFolder } from '../skill-folders/validate-folder.ts';
import { askAbout } from './ask-about.ts';
import { mergeText } from './merge-text.ts';

/** Runs `ambit skills merge`. */
export async function runMerge(context: CommandContext, flags: MergeFlags, folder: string): Promise<void> {
  const { terminal, print } = context;
  const { mode, dryRun = false } = flags;
  if (mode === 'ask' && !dryRun && terminal.stdin.isTTY !== true) {
    throw new UsageError(
      '--mode ask needs a terminal; preview with --dry-run, then use --mode append or --mode replace',
    );
  }
  const place = resolve(terminal.cwd(), flags.into);
  // Resolved, to compare it with each skill's own folder.
  const into = await realpath(place).catch(() => place);
  // Staged elsewhere, so quitting at a question leaves nothing in the folder of skills.
  const staging = await stagingFolder();
  try {
    const plan = await planMerge({ source: resolve(terminal.cwd(), folder), into, staging, mode, check });
    const merges = dryRun ? plan.merges : await askAbout(plan.merges, terminal, print);
    if (merges !== undefined && !dryRun) await applyMerge(merges, into);
    report(print, { merges: merges ?? [], refused: plan.refused }, { dryRun, quit: merges === undefined });
    context.exitCode = plan.refused.length > 0 ? 3 : 0;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function check(folder: string) {
  return (await validateFolder(folder)).errors;
}

async function stagingFolder(): Promise<string> {
  try {
    return await mkdtemp(join(await realpath(tmpdir()), 'ambit-merge-'));
  } catch (cause) {
    throw new UsageError(
      `cannot use the temporary folder ${tmpdir()} (${(cause as Error).message}): create it, or set TMPDIR to another folder`,
      { cause },
    );
  }
}

function report(
  print: Printer,
  { merges, refused }: MergePlan,
  { dryRun, quit }: { dryRun: boolean; quit: boolean },
): void {
  if (print.json) {
    print.document({ dryRun, quit, actions: merges.map(actionJson), refused });
    return;
  }
  print.lines(
    ...merges.flatMap((merge) => mergeText(print, merge)),
    ...refused.flatMap((folder) => refusedText(print, folder)),
    ...(quit || dryRun ? ['Nothing was changed.'] : []),
  );
}

function actionJson(merge: PlannedMerge): object {
  return { ...merge.action, storedAt: storedAt(merge) ?? null };
}

function refusedText(print: Printer, { id, problems }: RefusedFolder): string[] {
  return [
    `${print.style('red', 'refused ')} ${printableLine(id)}`,
    ...problems.map((problem) => `           ${printableLine(problem)}`),
  ];
}
