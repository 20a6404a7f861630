import type { CallRecord } from '@ambit/client';
import { bytesText, countText, durationText } from '../../format/units.ts';
import { Table } from '../../part/table.tsx';

/** The limit that ended a call with this outcome. */
const exceeded: Readonly<Partial<Record<CallRecord['outcome'], string>>> = {
  'output-too-large': 'Output',
  'out-of-memory': 'Memory',
  'out-of-fuel': 'Fuel',
  'timed-out': 'Time',
};

/** The use of each limit by the call. */
export function LimitBars({ record: { limits, usage, output, outcome } }: { record: CallRecord }) {
  if (limits === null) return null;
  const rows = [
    ['Time', usage?.durationMs, limits.timeoutMs, durationText],
    ['Memory', usage?.memoryPeakBytes, limits.memoryBytes, bytesText],
    ['CPU time', usage?.cpuMs, limits.cpuMs, durationText],
    ['Fuel', usage?.fuelConsumed, limits.fuel, countText],
    ['Output', output?.bytes, limits.outputBytes, bytesText],
  ] as const;
  return (
    <section>
      <h2>Limits</h2>
      <Table
        columns={['Resource', { heading: 'Used', is: 'number' }, { heading: 'Limit', is: 'number' }, 'Share']}
        rows={rows.flatMap(([name, used, limit, text]) =>
          limit === null
            ? []
            : [
                {
                  key: name,
                  cells: [
                    name,
                    used === null || used === undefined
                      ? exceeded[outcome] === name
                        ? 'more than the limit'
                        : 'not measured'
                      : text(used),
                    text(limit),
                    typeof used === 'number' && (
                      <meter min={0} max={limit} high={limit * 0.8} value={used} aria-label={`${name} used`}>
                        {Math.round((used / limit) * 100)} %
                      </meter>
                    ),
                  ],
                },
              ],
        )}
      />
    </section>
  );
}
