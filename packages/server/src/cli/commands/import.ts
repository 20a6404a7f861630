import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  ImportError,
  type ImportKind,
  type ImportNetwork,
  type ImportReport,
  importKinds,
  importSkills,
  isThere,
  isUrl,
  settingsText,
} from '@ambit/runtime';
import { Argument, type Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { whileWaiting } from '../live/while-waiting.ts';
import type { Printer } from '../printer.ts';
import { printable, printableLine } from '../text/printable.ts';
import { reportText } from '../text/report-text.ts';
import { type CommandContext, examples, flagsOf, type GlobalFlags } from './command-context.ts';

interface ImportFlags {
  out: string;
  fragment?: string;
  dryRun?: boolean;
  force?: boolean;
}

/** `ambit import` */
export function addImport(program: Command, context: CommandContext): void {
  program
    .command('import')
    .summary("make skill folders of another system's skills")
    .description(
      "Makes skill folders of another system's skills, and prints what did not come over as it was, one line each, and what belongs into the configuration. Nothing that is there is replaced without --force.",
    )
    .addArgument(new Argument('<kind>', 'what it is imported from').choices(importKinds))
    .argument(
      '<from>',
      'a file or a folder; of wreckit and agentium also an https:// URL that imports.network allows',
    )
    .option('--out <dir>', 'the folder that gets the skill folders', './skills')
    .option(
      '--fragment <file>',
      'write what belongs into the configuration to this file, and do not print it',
    )
    .option('--dry-run', 'write nothing; say what would be written')
    .option('--force', 'replace what is there')
    .addHelpText(
      'after',
      examples(
        ['ambit import wreckit .wreckit/skills.json', 'into ./skills'],
        ['ambit import folder .cursor/rules --dry-run', 'only what would come of it'],
        ['ambit import agentium https://example.com/manifest.yaml', 'through the allow-list'],
      ),
    )
    .action(async (kind: ImportKind, from: string, _options, command: Command) => {
      const { flags, print } = flagsOf<ImportFlags>(context, command);
      const report = await whileWaiting(context.terminal, print, 'import', () =>
        imported(context, kind, from, flags),
      );
      if (print.json) print.document(report);
      else printReport(print, report, flags);
      context.exitCode = report.written.length + report.kept.length === 0 ? 3 : 0;
    });
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
    `${file} is there already; name another file, or replace it with --force`,
  );
}

async function allowed({ actions }: CommandContext, flags: GlobalFlags): Promise<ImportNetwork> {
  const { imports, deny } = await actions.loadConfig(flags);
  return { ...imports, deny: deny.network };
}

function printReport(print: Printer, report: ImportReport, { out, fragment, dryRun }: ImportFlags): void {
  const { written, kept, lines, settings } = report;
  const verb = dryRun ? 'would be written' : 'written';
  print.lines(
    ...reportText(print, lines),
    `${written.length} ${verb} to ${printableLine(out)}, ${kept.length} there already; ${lines.length} lines above`,
  );
  const text = settingsText(settings);
  if (text === '' || (fragment !== undefined && !dryRun)) return;
  print.lines('', '# for ambit.config.yaml:', printable(text).trimEnd());
}
