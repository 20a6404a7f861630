import type { AuditReader, CallRecord } from '@ambit/core/audit';

/** Enough for a proposal, and read in a second. */
const recordsMax = 1000;
const pageRecords = 200;

/** The latest records of a skill, newest first, and whether there are older ones. `execution`: only this call. */
export async function recordsOfSkill(
  { query }: Pick<AuditReader, 'query'>,
  filter: { skill: string; since?: number | undefined; execution?: string | undefined },
): Promise<{ records: CallRecord[]; more: boolean }> {
  const { skill, since, execution } = filter;
  const records: CallRecord[] = [];
  let before: number | undefined;
  do {
    const page = await query({ skill, limit: pageRecords, since, executionId: execution, before });
    records.push(...page.records);
    before = page.next ?? undefined;
    if (page.partial === true) break;
  } while (before !== undefined && records.length < recordsMax);
  return { records, more: before !== undefined };
}
