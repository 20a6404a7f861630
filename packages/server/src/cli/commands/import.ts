import type { ImportKind } from '@ambit/migrate';
import { Argument, type Command } from 'commander';
import { type CommandContext, examples } from '../command/command-context.ts';

/** `ambit import` */
export function addImport(program: Command, context: CommandContext): void {
  program
    .command('import')
    .summary("make skill folders of another system's skills")
    .description(
      "Makes skill folders of another system's skills, and prints what did not come over as it was, one line each, and what belongs into the configuration. Nothing that is there is replaced without --force.",
    )
    .addArgument(new Argument('<kind>', 'what it is imported from').choices(Object.keys(kinds)))
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
      const { runImport } = await import('../migrate/run-import.ts');
      await runImport(context, command, { kind, from });
    });
}

/** Named here, so that the package is loaded only when the command runs. */
const kinds: Record<ImportKind, true> = { wreckit: true, agentium: true, isdlc: true, folder: true };
