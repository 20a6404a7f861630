import { daemonNow, noticedMs } from './clock.ts';
import { plural } from './units.ts';

// Without `Intl`: its first use takes tens of milliseconds in a new process, and the console is in English.

/** In the reader's time zone: `14:03:22`, with the date unless it is today: `2026-11-27 14:03:22`. */
export function timeText(at: number): string {
  const [day, time] = inReadersZone(at);
  return day === inReadersZone(daemonNow())[0] ? time : `${day} ${time}`;
}

const steps = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** `5 minutes ago`, `in 2 hours`. */
export function ageText(at: number): string {
  const ahead = at - daemonNow();
  // The daemon's clock is known to a few seconds.
  const ms = ahead > 0 && ahead < noticedMs ? 0 : ahead;
  const step = steps.find(([, size]) => Math.abs(ms) >= size);
  if (step === undefined) return 'now';
  const [unit, size] = step;
  const text = plural(Math.round(Math.abs(ms) / size), unit);
  return ms < 0 ? `${text} ago` : `in ${text}`;
}

function inReadersZone(at: number): [day: string, time: string] {
  const aheadMs = -60_000 * new Date(at).getTimezoneOffset();
  const text = new Date(at + aheadMs).toISOString();
  return [text.slice(0, 10), text.slice(11, 19)];
}
