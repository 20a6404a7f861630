import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  ImportError,
  type ImportKind,
  type ImportNetwork,
  type ImportReport,
  importSkills,
  isUrl,
  settingsText,
} from '@ambit/migrate';
import { isThere } from '@ambit/runtime';
import type { Command } from 'commander';
import { type CommandContext, flagsOf, type GlobalFlags } from '../command/command-context.ts';
import { plural } from '../output/plural.ts';
import { printable, printableLine } from '../output/printable.ts';
import type { Printer } from '../output/printer.ts';
import { whileWaiting } from '../output/progress-line.ts';
import { CliError } from '../ports/cli-error.ts';
import { reportText } from './report-text.ts';

interface ImportFlags {
  out: string;
  fragment?: string;
  dryRun?: boolean;
  force?: boolean;
}

/** Runs `ambit import`. */
export async function runImport(
  context: CommandContext,
  command: Command,
  { kind, from }: { kind: ImportKind; from: string },
): Promise<void> {
  const { flags, print } = flagsOf<ImportFlags>(context, command);
  const report = await whileWaiting(context.terminal, print, 'import', () =>
    imported(context, kind, from, flags),
  );
  if (print.json) print.document(report);
  else printReport(print, report, flags);
  context.exitCode = report.written.length + report.existing.length === 0 ? 3 : 0;
}

async function imported(
  context: CommandContext,
  kind: ImportKind,
  from: string,
  flags: ImportFlags & GlobalFlags,
): Promise<ImportReport> {
  const { dryRun = false, force = false } = flags;
  const cwd = context.terminal.cwd();
  const fragment = flags.fragment === undefined || dryRun ? undefined : resolve(cwd, flags.fragment);
  if (fragment !== undefined && !force) await refuseExisting(fragment);
  try {
    const report = await importSkills({
      kind,
      from: isUrl(from) ? from : resolve(cwd, from),
      out: resolve(cwd, flags.out),
      force,
      dryRun,
      network: isUrl(from) ? await allowed(context, flags) : {},
    });
    if (fragment !== undefined) await writeFile(fragment, settingsText(report.settings));
    return report;
  } catch (error) {
    if (error instanceof ImportError) throw new CliError('USAGE_INVALID', error.message, { cause: error });
    throw error;
  }
}

async function refuseExisting(file: string): Promise<void> {
  if (!(await isThere(file))) return;
  throw new CliError(
    'USAGE_INVALID',
    `${file} already exists; choose another file, or replace it with --force`,
  );
}

async function allowed({ actions }: CommandContext, flags: GlobalFlags): Promise<ImportNetwork> {
  const { imports, deny } = await actions.loadConfig(flags);
  return { ...imports, deny: deny.network };
}

function printReport(print: Printer, report: ImportReport, { out, fragment, dryRun }: ImportFlags): void {
  const { written, existing, lines, settings } = report;
  const verb = dryRun ? 'would be written' : 'written';
  print.lines(
    ...reportText(print, lines),
    `${plural(written.length, 'skill')} ${verb} to ${printableLine(out)}, ${existing.length} already exist; ${plural(lines.length, 'note')} above`,
  );
  const text = settingsText(settings);
  if (text === '' || (fragment !== undefined && !dryRun)) return;
  print.lines('', '# for ambit.config.yaml:', printable(text).trimEnd());
}
