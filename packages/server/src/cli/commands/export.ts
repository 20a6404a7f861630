import type { ExportKind } from '@ambit/migrate';
import { Argument, type Command } from 'commander';
import { type CommandContext, examples } from '../command/command-context.ts';

/** `ambit export` */
export function addExport(program: Command, context: CommandContext): void {
  program
    .command('export')
    .summary("write skills in another system's format")
    .description(
      "Write skills in another system's format. Print one line for each thing that the format cannot store. If one of the files exists, nothing is written without --force.",
    )
    .addArgument(new Argument('<kind>', 'the format to export').choices(Object.keys(kinds)))
    .argument('[id...]', 'skills (default: every configured one)')
    .requiredOption('--out <dir>', 'write files to this folder')
    .option('--force', 'replace existing files')
    .addHelpText(
      'after',
      examples(
        ['ambit export wreckit --out exported', 'every skill'],
        ['ambit export agentium plan test --out exported', 'two of them'],
      ),
    )
    .action(async (kind: ExportKind, ids: string[], _options, command: Command) => {
      const { runExport } = await import('../migrate/run-export.ts');
      await runExport(context, command, { kind, ids });
    });
}

/** Listed here, so the package is loaded only when the command runs. */
const kinds: Record<ExportKind, true> = { wreckit: true, agentium: true, isdlc: true };
