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

/** The mistake of a query whose `until` is not later than its `since`. */
export function orderIssues({ since, until }: Times<number>): RequestIssue[] {
  if (since === undefined || until === undefined || since < until) return [];
  return [{ at: '', message: 'the document: "until" must be later than "since"' }];
}

/** A query with the times of `timesOf`. Throws `REQUEST_INVALID` unless they are in order. */
export function withTimes<Query extends Times<string>>(
  query: Query,
  now: () => number,
): Omit<Query, keyof Times<string>> & Times<number> {
  const { since: _, until: __, ...rest } = query;
  const times = timesOf(query, now);
  const issues = orderIssues(times);
  if (issues.length > 0) throw requestInvalid(issues);
  return { ...rest, ...times };
}
