import type { CallRecord } from '@ambit/client';
import { countText, durationText } from '../../format/units.ts';
import { Mark } from '../../part/outcome.tsx';
import { Table } from '../../part/table.tsx';
import { Time } from '../../part/time.tsx';
import { Visible } from '../../part/visible.tsx';
import { type TimelineEntry, timelineOf } from './timeline.ts';

/** The events of a call in time: the queue, each network request, each host call, the end. */
export function RunTimeline({ record }: { record: CallRecord }) {
  const { entries, spanMs, left } = timelineOf(record);
  return (
    <section>
      <h2>Timeline</h2>
      <Table
        columns={[
          'When',
          'What',
          { heading: 'Took', is: 'number' },
          { heading: 'Within the run', is: 'track' },
        ]}
        rows={entries.map((entry, index) => ({
          key: index,
          cells: [
            <>
              <Time at={entry.at} />
              <span class="quiet"> +{entry.afterMs < 1 ? '0 ms' : durationText(entry.afterMs)}</span>
            </>,
            <>
              {entry.isRefused && <Mark tone="refused" word="refused" />} {entry.what}{' '}
              <Visible text={entry.detail} />
            </>,
            entry.ms === undefined ? '' : durationText(entry.ms),
            <Bar entry={entry} spanMs={spanMs} />,
          ],
        }))}
      />
      {left > 0 && <p>{countText(left)} further host calls are not in the record.</p>}
    </section>
  );
}

/** The width of what took no time, in percent. */
const thinnest = 0.6;

function Bar({ entry: { afterMs, ms = 0 }, spanMs }: { entry: TimelineEntry; spanMs: number }) {
  if (spanMs === 0) return null;
  const share = (value: number): number => Math.max(0, Math.min(100, (value / spanMs) * 100));
  return (
    <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect
        x={Math.min(share(afterMs), 100 - thinnest)}
        y="1"
        width={Math.max(thinnest, share(ms))}
        height="6"
      />
    </svg>
  );
}
