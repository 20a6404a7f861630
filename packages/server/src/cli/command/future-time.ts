import { readSpan, readTime } from '@ambit/api';
import { InvalidArgumentError } from 'commander';

/** Reads an argument that is a date, or a span from now, into milliseconds since the epoch. */
export function spanOrDate(text: string): number {
  const span = readSpan(text);
  const time = span === undefined ? readTime(text, Date.now()) : Date.now() + span;
  if (time !== undefined) return time;
  throw new InvalidArgumentError('Write a duration (12h, 30d) or a date (2027-01-31).');
}

/** Reads a date in the future, or a span from now, into ISO 8601. */
export function laterTime(text: string): string {
  const time = spanOrDate(text);
  if (time > Date.now()) return new Date(time).toISOString();
  throw new InvalidArgumentError('Write a time in the future: a duration (12h, 30d) or a date (2027-01-31).');
}
