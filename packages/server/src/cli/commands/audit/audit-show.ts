import type { CallRecord } from '@ambit/core/audit';
import type { Command } from 'commander';
import { usedPhrases } from '../../../wire/used-text.ts';
import { type CommandContext, examples, flagsOf } from '../../command/command-context.ts';
import { printable, printableLine } from '../../output/printable.ts';
import { CliError } from '../../ports/cli-error.ts';

/** `ambit audit show`: one complete record. */
export function addAuditShow(audit: Command, context: CommandContext): void {
  audit
    .command('show <execution-id>')
    .summary('show one complete record')
    .description('Show the complete record of one call as JSON, and on stderr the capabilities that it used.')
    .addHelpText(
      'after',
      examples([
        'ambit audit show 0190e0a4-7c1e-7000-8000-000000000000',
        'every answer and refusal includes the id',
      ]),
    )
    .action(async (executionId: string, _options, command: Command) => {
      const { flags, print } = flagsOf(context, command);
      const log = await context.actions.openAudit(await context.actions.loadConfig(flags));
      try {
        const [record] = (await log.query({ executionId, limit: 1 })).records;
        if (record === undefined) {
          throw new CliError(
            'USAGE_INVALID',
            `the log has no execution ${JSON.stringify(executionId)}. To list ids, run: ambit audit --json`,
          );
        }
        if (print.json) print.document(record);
        else {
          print.lines(printable(JSON.stringify(record, null, 2)));
          print.note(...usedLines(record));
        }
      } finally {
        await log.close();
      }
    });
}

function usedLines({ used }: CallRecord): string[] {
  if (used === undefined) return [];
  const phrases = usedPhrases(used);
  return phrases.length === 0
    ? ['Used no capabilities.']
    : ['Used:', ...phrases.map((phrase) => `  ${printableLine(phrase)}`)];
}
