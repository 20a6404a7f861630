import { createHash } from 'node:crypto';
import type { WalkedLog } from '../../../packages/server/src/audit/testing/walk-log.ts';
import type { Daemon } from '../daemon-process.ts';

/** A call that met a fault. */
export interface FaultyCall {
  /** Its input, which no other call has. */
  number: number;
  /** Whether it has an idempotency key, so it may be sent again. */
  isKeyed: boolean;
  /** Describes the call and the fault. */
  what: string;
  /** Absent: the connection broke. */
  answer: Awaited<ReturnType<Daemon['request']>> | undefined;
}

type Events = WalkedLog['events'];

/**
 * The problems of a call whose program had its effect `times` times: an effect or an answer without a
 * record, a second run, or a record that differs from the answer. Empty: none.
 */
export function problemsOf({ number, isKeyed, answer }: FaultyCall, times: number, events: Events): string[] {
  const records = recordsOf(events, number);
  const kinds = [...records.values()].map((record) => record.map(({ event }) => event.kind).join(', '));
  const problems: string[] = [];
  if (times > 1) problems.push(`it ran ${times} times`);
  if (times === 1 && kinds.every((each) => each.endsWith('call.denied')))
    problems.push(`it ran, and its records are: ${kinds.join('; ') || 'none'}`);
  if (!isKeyed && records.size > 1) problems.push(`it has ${records.size} records`);
  for (const each of kinds) if (!wholeRecord.test(each)) problems.push(`its record is ${each}`);
  if (answer?.status === 200) {
    const last = records.get(answer.body.executionId)?.at(-1);
    const { outcome, audit } = answer.body;
    if (last?.event.kind !== 'call.finished') problems.push(`it was answered, and its record is ${kinds}`);
    else if (last.sequence !== audit.sequence || last.event['outcome'] !== outcome.status)
      problems.push(`it was answered with ${outcome.status} at ${audit.sequence}, unlike its record`);
  } else if (answer?.body.outcome !== undefined) {
    problems.push(`it was answered with ${answer.status} and an outcome`);
  }
  // A retry gets 409 if the daemon was killed. The log's failure is the answer only to a call that ran.
  if (isKeyed && answer?.status !== 200 && answer?.status !== 409 && times === 0)
    problems.push(`it did not run, and its retry was answered with ${answer?.status}`);
  return problems;
}

/** The kinds of the events of a call that has ended. */
export const wholeRecord = /^call\.started, call\.(finished|denied|interrupted)$/;

/** The events of each execution with this input. */
export function recordsOf(events: Events, number: number): Map<unknown, Events> {
  const digest = `sha256:${createHash('sha256')
    .update(JSON.stringify({ input: number }))
    .digest('hex')}`;
  const ids = new Set(
    events
      .filter(({ event }) => (event['input'] as { digest?: string } | undefined)?.digest === digest)
      .map(({ event }) => event.executionId),
  );
  return Map.groupBy(
    events.filter(({ event }) => ids.has(event.executionId)),
    ({ event }) => event.executionId,
  );
}
