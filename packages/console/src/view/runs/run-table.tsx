import type { CallRecord } from '@ambit/client';
import { durationText } from '../../format/units.ts';
import { OutcomeMark } from '../../part/outcome.tsx';
import { Table } from '../../part/table.tsx';
import { Time } from '../../part/time.tsx';
import { Visible } from '../../part/visible.tsx';
import { runPath, runsPath } from '../../paths.ts';

/** Runs, newest first. */
export function RunTable({ records }: { records: readonly CallRecord[] }) {
  const hasNodes = records.some(({ node }) => node !== undefined);
  return (
    <Table
      columns={[
        ...['Outcome', 'Skill or request', 'Started', { heading: 'Took', is: 'number' as const }],
        ...['Key', 'Through', ...(hasNodes ? ['Node'] : []), 'Why'],
      ]}
      rows={records.map((record) => ({
        key: `${record.executionId} ${record.sequence}`,
        cells: [
          <OutcomeMark outcome={record.outcome} />,
          <a href={runPath(record.executionId)}>
            <Visible text={record.skill?.id ?? record.request ?? record.executionId} />
          </a>,
          <Time at={record.startedAt} />,
          tookText(record),
          record.actor !== null && (
            <a href={runsPath({ actor: record.actor })}>
              <Visible text={record.actor} />
            </a>
          ),
          record.via,
          ...(hasNodes ? [record.node && <a href={runsPath({ node: record.node })}>{record.node}</a>] : []),
          <Visible text={whyText(record)} />,
        ],
      }))}
    />
  );
}

function tookText({ usage, startedAt, endedAt }: CallRecord): string {
  if (usage !== null) return durationText(usage.durationMs);
  return endedAt === null ? '' : durationText(Date.parse(endedAt) - Date.parse(startedAt));
}

/** In a few words: the refusal, the failure, or what was not granted. */
function whyText({ error, failure, reason, capabilities }: CallRecord): string {
  if (error !== null) return error.code;
  if (reason !== undefined) return reason;
  if (failure !== null) {
    if ('exitCode' in failure) return `exit code ${failure.exitCode}`;
    return 'signal' in failure ? failure.signal : failure.trap.slice(0, 200);
  }
  return [...new Set(capabilities.denied.map(({ capability }) => `refused ${capability}`))].join(', ');
}
