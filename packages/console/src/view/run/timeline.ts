import type { CallRecord } from '@ambit/client';
import { bytesText } from '../../format/units.ts';
import { outcomeText } from '../../part/outcome.tsx';

/** One thing that happened during a call. */
export interface TimelineEntry {
  /** Milliseconds since the epoch. */
  at: number;
  /** The time since the call began. */
  afterMs: number;
  ms?: number | undefined;
  what: string;
  /** Untrusted: it may be what a skill wrote. */
  detail: string;
  isRefused: boolean;
}

/** Everything with a time in a record, in order. `left`: so many host calls are not in it. */
export function timelineOf(record: CallRecord): { entries: TimelineEntry[]; spanMs: number; left: number } {
  const { startedAt, endedAt, usage, connections, outcome, sandbox, hostCalls } = record;
  const begun = Date.parse(startedAt);
  const ended = endedAt === null ? undefined : Date.parse(endedAt);
  const entry = (at: number, what: string, detail = ''): TimelineEntry => ({
    at,
    afterMs: Math.max(0, at - begun),
    what,
    detail,
    isRefused: false,
  });
  const between = [
    ...connections.map(
      ({
        at,
        durationMs,
        host,
        port,
        method,
        path,
        status,
        bytesUp,
        bytesDown,
        decision,
        rule,
        secrets,
      }) => ({
        ...entry(
          at,
          'Network:',
          [
            `${method ?? 'tunnel'} ${host}:${port}${path ?? ''}`,
            ...(status === undefined ? [] : [`status ${status}`]),
            `${bytesText(bytesUp)} sent, ${bytesText(bytesDown)} received`,
            ...(rule === null ? [] : [`by the rule ${rule}`]),
            ...(secrets === undefined ? [] : [`with the secret ${secrets.join(', ')}`]),
          ].join(', '),
        ),
        ms: durationMs,
        isRefused: decision === 'denied',
      }),
    ),
    ...(hostCalls?.listed ?? []).map(({ name, at, durationMs, result }) => ({
      ...entry(at, 'Host function:', `${name}, ${result}`),
      ms: durationMs,
      isRefused: result === 'denied',
    })),
  ].sort((a, b) => a.at - b.at);
  const queueMs = usage?.queueMs ?? 0;
  const entries = [
    entry(begun, 'Received'),
    ...(usage === null
      ? []
      : [
          { ...entry(begun, 'Waited in the queue'), ms: queueMs },
          { ...entry(begun + queueMs, 'Ran', sandbox === null ? '' : `in ${sandbox}`), ms: usage.durationMs },
        ]),
    ...between,
    ...(ended === undefined ? [] : [entry(ended, 'Ended:', outcomeText(outcome))]),
  ];
  return { entries, spanMs: (ended ?? begun) - begun, left: hostCalls?.unlisted ?? 0 };
}
