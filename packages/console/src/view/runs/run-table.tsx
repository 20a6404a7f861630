import type { CallRecord } from '@ambit/client';
import { tookText, whyText } from '../../part/ended.ts';
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
        'Outcome',
        'Skill or request',
        'Started',
        { heading: 'Took', is: 'number' },
        'Key',
        'Via',
        ...(hasNodes ? ['Node'] : []),
        'Why',
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
