const units: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const timeMax = 8.64e15;

/**
 * Parses a time into milliseconds since the epoch. Accepts such a number, ISO 8601 (a date alone is
 * midnight UTC), or an age (`90s`, `30m`, `12h`, `7d`, `2w`), which counts back from the start of
 * the current minute. `undefined` for anything else.
 */
export function readTime(text: string, now: number): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (count !== undefined) return Math.floor(now / 60_000) * 60_000 - Number(count) * (units[unit] ?? 0);
  if (/^\d{1,16}$/.test(text)) return Number(text) <= timeMax ? Number(text) : undefined;
  if (!/^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:?\d{2}))?$/.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/**
 * Parses a duration such as `90s`, `30m`, `12h` or `7d` into milliseconds; `undefined` for anything
 * else.
 */
export function readSpan(text: string): number | undefined {
  const [, count, unit = ''] = /^([1-9]\d{0,5})([smhdw])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (units[unit] ?? 0);
}

/** The accepted forms, for error messages. */
export const timeForms =
  'write ISO 8601 (2026-01-31 or 2026-01-31T08:00:00Z), milliseconds since the epoch, or an age (30m, 12h, 7d)';
