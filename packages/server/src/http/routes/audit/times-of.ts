import { readTime } from '@ambit/api';
import { type RequestIssue, requestInvalid } from '../../route/parse-request.ts';

interface Times<Time> {
  since?: Time;
  until?: Time;
}

/** The times of a query by the clock, in milliseconds since the epoch. */
export function timesOf({ since, until }: Times<string>, now: () => number): Times<number> {
  const times: Times<number> = {};
  const [from, to] = [since, until].map((text) => (text === undefined ? text : readTime(text, now())));
  if (from !== undefined) times.since = from;
  if (to !== undefined) times.until = to;
  return times;
}

/** A query with the times of `timesOf`. Throws `REQUEST_INVALID` unless they are in order and have no other `issues`. */
export function withTimes<Query extends Times<string>>(
  query: Query,
  now: () => number,
  issues: (times: Times<number>) => readonly RequestIssue[] = () => [],
): Omit<Query, keyof Times<string>> & Times<number> {
  const { since: _, until: __, ...rest } = query;
  const times = timesOf(query, now);
  const { since = -Infinity, until = Infinity } = times;
  const found = [...(since < until ? [] : [notInOrder]), ...issues(times)];
  if (found.length > 0) throw requestInvalid(found);
  return { ...rest, ...times };
}

const notInOrder = { at: '', message: 'the document: "until" must be later than "since"' };
