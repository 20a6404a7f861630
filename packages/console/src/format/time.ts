import { daemonNow, noticedMs } from './clock.ts';

/** In the reader's time zone: `14:03:22`, with the date unless it is today. */
export function timeText(at: number): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date(daemonNow()).toDateString();
  return new Intl.DateTimeFormat(undefined, {
    ...(isToday ? {} : { dateStyle: 'medium' }),
    timeStyle: 'medium',
  }).format(date);
}

const steps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];

/** `5 minutes ago`, `in 2 hours`. */
export function ageText(at: number): string {
  const ahead = at - daemonNow();
  // The daemon's clock is known to a few seconds.
  const ms = ahead > 0 && ahead < noticedMs ? 0 : ahead;
  const [unit, size] = steps.find(([, step]) => Math.abs(ms) >= step) ?? ['second', 1000];
  return new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' }).format(Math.round(ms / size), unit);
}
