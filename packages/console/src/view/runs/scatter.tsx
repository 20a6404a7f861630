import type { CallRecord } from '@ambit/client';
import { useState } from 'preact/hooks';
import { timeText } from '../../format/time.ts';
import { durationText } from '../../format/units.ts';
import { outcomeTones } from '../../part/outcome.tsx';

/** Positions are percentages, so that the marks keep their shape at any width. */
const [width, height, edge] = [100, 100, 2];
/** Half a mark, at the top and the bottom. */
const verticalEdge = 6;

interface Dot {
  at: number;
  ms: number;
  record: CallRecord;
}

/**
 * Duration over time, a mark for each run; the table below has the same runs. Dragging over it chooses a time
 * range.
 */
export function Scatter({
  records,
  choose,
}: {
  records: readonly CallRecord[];
  choose?: (since: string, until: string) => void;
}) {
  const [dragged, setDragged] = useState<{ from: number; to: number }>();
  const dots = records.flatMap(dotOf);
  if (dots.length < 2) return null;
  const [first, last] = [Math.min(...dots.map(({ at }) => at)), Math.max(...dots.map(({ at }) => at))];
  const slowest = Math.max(10, ...dots.map(({ ms }) => ms));
  const x = (at: number): number => edge + ((at - first) / Math.max(1, last - first)) * (width - 2 * edge);
  // Durations differ by orders of magnitude.
  const y = (ms: number): number =>
    height - verticalEdge - (Math.log10(Math.max(1, ms)) / Math.log10(slowest)) * (height - 2 * verticalEdge);
  const positionOf = (event: PointerEvent): number => {
    const { left, width: shown } = (event.currentTarget as Element).getBoundingClientRect();
    return ((event.clientX - left) / shown) * width;
  };
  const timeAt = (position: number): string => {
    const share = (position - edge) / (width - 2 * edge);
    return new Date(first + Math.min(1, Math.max(0, share)) * (last - first)).toISOString();
  };
  return (
    <figure class="scatter">
      <svg
        role="img"
        aria-label={`Durations of ${dots.length} runs, up to ${durationText(slowest)}; the table below lists them`}
        onPointerDown={(event) => {
          if (choose === undefined) return;
          const from = positionOf(event);
          setDragged({ from, to: from });
        }}
        onPointerMove={(event) => {
          if (dragged !== undefined) setDragged({ ...dragged, to: positionOf(event) });
        }}
        onPointerLeave={() => setDragged(undefined)}
        onPointerUp={() => {
          setDragged(undefined);
          if (dragged === undefined || choose === undefined) return;
          const [from, to] = [Math.min(dragged.from, dragged.to), Math.max(dragged.from, dragged.to)];
          // A click is not a range.
          if (to - from > 1) choose(timeAt(from), timeAt(to));
        }}
      >
        <line x1="0" x2="100%" y1="100%" y2="100%" />
        {dragged !== undefined && (
          <rect
            class="chosen"
            x={`${Math.min(dragged.from, dragged.to)}%`}
            width={`${Math.abs(dragged.to - dragged.from)}%`}
            y="0"
            height="100%"
          />
        )}
        {dots.map(({ at, ms, record }) => (
          <svg x={`${x(at)}%`} y={`${y(ms)}%`} class={outcomeTones[record.outcome]} aria-hidden="true">
            <path d={shapeOf(record)} />
          </svg>
        ))}
      </svg>
      <figcaption>
        <span>{timeText(first)}</span>
        <span>
          ● succeeded ▲ failed ◆ refused, higher is slower (up to {durationText(slowest)})
          {choose !== undefined && ', drag to choose a time range'}
        </span>
        <span>{last - first < 10_000 ? `${durationText(last - first)} later` : timeText(last)}</span>
      </figcaption>
    </figure>
  );
}

function dotOf(record: CallRecord): Dot[] {
  if (record.endedAt === null) return [];
  const at = Date.parse(record.startedAt);
  return [{ at, ms: record.usage?.durationMs ?? Date.parse(record.endedAt) - at, record }];
}

/** A shape for each kind of outcome, so that colour is not needed to tell them apart. */
function shapeOf({ outcome }: CallRecord): string {
  switch (outcomeTones[outcome]) {
    case 'bad':
      return 'M0 -6l6 11h-12z';
    case 'refused':
      return 'M0 -6l6 6l-6 6l-6 -6z';
    default:
      return 'M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0';
  }
}
