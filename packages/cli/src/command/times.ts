import { readSpan, readTime, timeForms } from '@ambit/api';
import { UsageError } from '@ambit/core/outcome';

/** Reads an argument that is a date, or a span before now, into milliseconds since the epoch. */
export function time(text: string): number {
  const read = readTime(text, Date.now());
  if (read !== undefined) return read;
  throw new UsageError(`${timeForms[0]?.toUpperCase()}${timeForms.slice(1)}.`);
}

/** Reads an argument that is a date, or a span from now, into milliseconds since the epoch. */
export function spanOrDate(text: string): number {
  const span = readSpan(text);
  const time = span === undefined ? readTime(text, Date.now()) : Date.now() + span;
  if (time !== undefined) return time;
  throw new UsageError('Write a duration (12h, 30d) or a date (2027-01-31).');
}

/** Reads a date in the future, or a span from now, into ISO 8601. */
export function laterTime(text: string): string {
  const time = spanOrDate(text);
  if (time > Date.now()) return new Date(time).toISOString();
  throw new UsageError('Write a time in the future: a duration (12h, 30d) or a date (2027-01-31).');
}
