import type { ExportKind } from '@ambit/migrate';
import { Argument, type Command } from 'commander';
import { type CommandContext, examples } from '../command/command-context.ts';

/** `ambit export` */
export function addExport(program: Command, context: CommandContext): void {
  program
    .command('export')
    .summary("write skills in another system's format")
    .description(
      "Writes skills in another system's format, and prints what that cannot hold, one line each. Nothing is written where one of the files is there already, unless --force.",
    )
    .addArgument(new Argument('<kind>', 'what it is exported to').choices(Object.keys(kinds)))
    .argument('[id...]', 'skills (default: every configured one)')
    .requiredOption('--out <dir>', 'the folder that gets the files')
    .option('--force', 'replace what is there')
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

/** Named here, so that the package is loaded only when the command runs. */
const kinds: Record<ExportKind, true> = { wreckit: true, agentium: true, isdlc: true };
