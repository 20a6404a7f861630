import type { CallRecord } from '@ambit/client';
import { Copy } from '../../part/copy.tsx';
import { Mark } from '../../part/outcome.tsx';
import { Table } from '../../part/table.tsx';
import { Visible } from '../../part/visible.tsx';
import { whatIfPath } from '../../paths.ts';
import { capabilityRows } from './capability-rows.ts';

/** The capabilities that the call requested, got, used and was refused, item by item. */
export function Capabilities({ record }: { record: CallRecord }) {
  const rows = capabilityRows(record);
  // The skill names no host or folder, so only the operator knows what to write.
  const open = rows.find(({ item, denial }) => item === 'granted' && denial !== undefined);
  return (
    <section>
      <h2>Capabilities</h2>
      {rows.length === 0 ? (
        <p>It requested none and used none.</p>
      ) : (
        <Table
          columns={['Capability', 'Item', 'Requested', 'Granted', 'Used', 'Refused']}
          rows={rows.map(({ capability, item, isRequested, isGranted, used, denial }) => ({
            key: `${capability} ${item}`,
            cells: [
              capability,
              item === 'granted' ? 'what you grant' : <Visible text={item} />,
              isRequested ? 'yes' : 'no',
              isGranted ? (
                capability === 'host' ? (
                  <Mark tone="bad" word="everything that its user may do" />
                ) : (
                  <Mark tone="good" word="granted" />
                )
              ) : (
                'no'
              ),
              used,
              denial !== undefined && (
                <>
                  <Mark tone="refused" word="refused" />: it <Visible text={denial.reason} />
                </>
              ),
            ],
          }))}
        />
      )}
      {rows.some(({ denial }) => denial !== undefined) && (
        <>
          <h3>Missing grants</h3>
          <p>
            To grant what was refused, add the line to ambit.config.yaml, in place of an earlier line for this
            skill.{' '}
            {open !== undefined && (
              <>
                Replace its example with the hosts or folders that the skill may use, or{' '}
                <a href={whatIfPath(record.skill?.id ?? '', open.capability)}>name one to get its line</a>.{' '}
              </>
            )}
            Then run <code>ambit trust</code> and <code>ambit config reload</code>.
          </p>
          <ul>
            {[...new Set(rows.flatMap(({ denial }) => (denial === undefined ? [] : [denial.remedy])))].map(
              (remedy) => (
                <li>
                  <Copy text={remedy} label="the line that grants it" />
                </li>
              ),
            )}
          </ul>
        </>
      )}
    </section>
  );
}
