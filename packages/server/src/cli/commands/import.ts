import type { ImportKind } from '@ambit/migrate';
import { Argument, type Command } from 'commander';
import { type CommandContext, examples } from '../command/command-context.ts';

/** `ambit import` */
export function addImport(program: Command, context: CommandContext): void {
  program
    .command('import')
    .summary("convert another system's skills to skill folders")
    .description(
      "Convert another system's skills to skill folders. Print one line for each change and each omission, and the settings to add to the configuration. Existing folders are replaced only with --force.",
    )
    .addArgument(new Argument('<kind>', 'the format to import').choices(Object.keys(kinds)))
    .argument(
      '<from>',
      'a file or a folder; for wreckit and agentium also an https:// URL that imports.network allows',
    )
    .option('--out <dir>', 'write skill folders to this folder', './skills')
    .option(
      '--fragment <file>',
      'write the settings for the configuration to this file instead of printing them',
    )
    .option('--dry-run', 'write nothing; report what would be written')
    .option('--force', 'replace existing folders and files')
    .addHelpText(
      'after',
      examples(
        ['ambit import wreckit .wreckit/skills.json', 'into ./skills'],
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
