import type { ImportKind } from '@ambit/migrate';
import { Argument, type Command } from 'commander';
import { type CommandContext, examples } from '../command/command-context.ts';

/** `ambit import` */
export function addImport(program: Command, context: CommandContext): void {
  program
    .command('import')
    .summary("convert another system's skills and install them")
    .description(
      "Convert another system's skills to skill folders in ./imported, and install them from there like other people's skills: they are listed in ambit.lock, and untrusted until you approve them. Print one line for each change and each omission, and the settings to add to the configuration. Existing folders are replaced only with --force. With --out, only write skill folders.",
    )
    .addArgument(new Argument('<kind>', 'the format to import').choices(Object.keys(kinds)))
    .argument(
      '<from>',
      'a file or a folder; for wreckit and agentium also an https:// URL that imports.network allows',
    )
    .option(
      '--namespace <name>',
      'begin their ids with this name (default: the format, or the name of the folder)',
    )
    .option('--out <dir>', 'write skill folders to this folder, and install nothing')
    .option(
      '--fragment <file>',
      'write the settings for the configuration to this file instead of printing them',
    )
    .option('--dry-run', 'write and install nothing; report what would be written')
    .option('--force', 'replace existing folders and files')
    .addHelpText(
      'after',
      examples(
        ['ambit import wreckit .', 'as wreckit:NAME, to be approved'],
        ['ambit import wreckit .wreckit/skills.json --out ./skills', 'folders of your own'],
        ['ambit import folder .cursor/rules --dry-run', 'preview'],
        ['ambit import agentium https://example.com/manifest.yaml', 'through the allow-list'],
      ),
    )
    .action(async (kind: ImportKind, from: string, _options, command: Command) => {
      const { runImport } = await import('../migrate/run-import.ts');
      await runImport(context, command, { kind, from });
    });
}

/** Listed here, so the package is loaded only when the command runs. */
const kinds: Record<ImportKind, true> = { wreckit: true, agentium: true, isdlc: true, folder: true };
