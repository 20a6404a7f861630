import type { AmbitClient } from '@ambit/client';
import { type CallRecord, cursorOf } from '@ambit/core/audit';
import { UsageError } from '@ambit/core/outcome';
import { usedPhrases } from '@ambit/server/wire';
import { defineCommand } from '../../command/define-command.ts';
import { printable, printableLine } from '../../output/printable.ts';

/** `ambit audit show`: one complete record. */
export const auditShow = defineCommand({
  name: 'audit show',
  summary: 'show one complete record',
  description:
    'Show the complete record of one call as JSON, and on stderr the capabilities that it used. The call is named by its id, or by its SEQUENCE in ambit audit.',
  remote: true,
  args: { call: { text: 'the id of the call, or its SEQUENCE' } },
  examples: {
    'ambit audit show 0190e0a4-7c1e-7000-8000-000000000000': 'the call with this id',
    'ambit audit show 12': 'the call with this SEQUENCE',
  },
  async run({ client, loadConfig, print }, flags, { call }) {
    const { audit } = await client(await loadConfig(flags));
    const record = await recordOf(audit, call);
    if (record === undefined) {
      throw new UsageError(`the log has no call ${JSON.stringify(call)}. To list calls, run: ambit audit`);
    }
    if (print.json) print.document(record);
    else {
      print.lines(printable(JSON.stringify(record, null, 2)));
      print.note(...usedLines(record));
    }
  },
});

async function recordOf(audit: AmbitClient['audit'], call: string): Promise<CallRecord | undefined> {
  if (!/^\d{1,16}$/.test(call)) return (await audit.page({ executionId: call, limit: 1 })).records[0];
  const sequence = Number(call);
  // Records are listed newest first.
  const [record] = (await audit.page({ before: sequence + 1, limit: 1 })).records;
  return record !== undefined && cursorOf(record) === sequence ? record : undefined;
}

function usedLines({ used }: CallRecord): string[] {
  if (used === undefined) return [];
  const phrases = usedPhrases(used);
  return phrases.length === 0
    ? ['Used no capabilities.']
    : ['Used:', ...phrases.map((phrase) => `  ${printableLine(phrase)}`)];
}
