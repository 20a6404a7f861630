import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { UsageError } from '@ambit/core/outcome';
import { SkillName } from '@ambit/core/skill';
import {
  type ImportKind,
  type ImportNetwork,
  type ImportReport,
  importSkills,
  isUrl,
  settingsText,
} from '@ambit/migrate';
import { isThere } from '@ambit/runtime';
import { namespaceOf } from '@ambit/server/installs';
import type { CommandContext } from '../command/define-command.ts';
import type { ImportFlags } from '../command/migrate-options.ts';
import { changeLines, nextLines } from '../installs/change-text.ts';
import { withInstalls } from '../installs/with-installs.ts';
import { plural } from '../output/plural.ts';
import { printable, printableLine } from '../output/printable.ts';
import type { Printer } from '../output/printer.ts';
import { whileWaiting } from '../output/progress-line.ts';
import { reportText } from './report-text.ts';

/** The source of an import, and the folder of its conversion. */
interface Conversion {
  kind: ImportKind;
  from: string;
  /** An absolute path. */
  out: string;
  /** The namespace of the installed skills; `undefined`: they are not installed. */
  namespace: string | undefined;
}

/** Runs `ambit import`. */
export async function runImport(
  context: CommandContext,
  flags: ImportFlags,
  { kind, from }: { kind: ImportKind; from: string },
): Promise<void> {
  const { print } = context;
  const conversion = { kind, from, ...targetOf(context, kind, from, flags) };
  const { report, installed } =
    conversion.namespace === undefined || flags.dryRun === true
      ? await whileWaiting(context.terminal, print, 'import', async () => ({
          report: await imported(context, conversion, flags),
          installed: null,
        }))
      : await withInstalls(context, 'import', async (installs) => {
          const converted = await imported(context, conversion, flags);
          const { out: source, namespace } = conversion;
          const isEmpty = converted.written.length + converted.existing.length === 0;
          const add = () => installs.add({ source, namespace });
          return { report: converted, installed: isEmpty ? null : await add() };
        });
  if (print.json) print.document({ ...report, installed });
  else printReport(print, report, { ...flags, out: flags.out ?? conversion.out });
  if (installed !== null && !print.json) {
    print.lines('', ...changeLines(print, installed));
    print.note(...(await nextLines(installed, flags)));
  }
  const isEmpty = report.written.length + report.existing.length === 0 || installed?.skills.length === 0;
  context.exitCode = isEmpty ? 3 : 0;
}

function targetOf(
  { terminal }: CommandContext,
  kind: ImportKind,
  from: string,
  { out, namespace: named }: ImportFlags,
): Pick<Conversion, 'out' | 'namespace'> {
  const cwd = terminal.cwd();
  if (out !== undefined && named !== undefined)
    throw new UsageError('--out installs nothing, so it has no --namespace');
  if (out !== undefined) return { out: resolve(cwd, out), namespace: undefined };
  // A folder of rules belongs to no system that could name it.
  const namespace = named ?? (kind === 'folder' ? namespaceOf(resolve(cwd, from)) : kind);
  if (!SkillName.safeParse(namespace).success)
    throw new UsageError('the namespace is invalid: use 1 to 64 of a-z, 0-9 and single hyphens');
  return { out: resolve(cwd, 'imported', namespace), namespace };
}

async function imported(
  context: CommandContext,
  { kind, from, out, namespace }: Conversion,
  flags: ImportFlags,
): Promise<ImportReport> {
  const { dryRun = false, force = false } = flags;
  const cwd = context.terminal.cwd();
  const fragment = flags.fragment === undefined || dryRun ? undefined : resolve(cwd, flags.fragment);
  if (fragment !== undefined && !force) await refuseExisting(fragment);
  const report = await importSkills({
    kind,
    from: isUrl(from) ? from : resolve(cwd, from),
    out,
    force,
    dryRun,
    namespace,
    network: isUrl(from) ? await allowed(context, flags) : {},
  });
  if (fragment !== undefined) await writeFile(fragment, settingsText(report.settings));
  return report;
}

async function refuseExisting(file: string): Promise<void> {
  if (!(await isThere(file))) return;
  throw new UsageError(`${file} already exists; choose another file, or replace it with --force`);
}

async function allowed({ loadConfig }: CommandContext, flags: ImportFlags): Promise<ImportNetwork> {
  const { imports, deny } = await loadConfig(flags);
  return { ...imports, deny: deny.network };
}

function printReport(
  print: Printer,
  report: ImportReport,
  { out, fragment, dryRun }: ImportFlags & { out: string },
): void {
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
