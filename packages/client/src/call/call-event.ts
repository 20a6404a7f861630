import type { CallEvent as SentEvent } from '@ambit/api';
import { notAmbit } from '../failure/ambit-error.ts';
import { AmbitProblem } from '../failure/ambit-problem.ts';
import { parseBody } from '../request/parse-body.ts';
import { isProblem } from '../request/problem-in.ts';
import type { StreamEvent } from '../stream/events-in.ts';
import type { CallAnswer, ExecutionStatus } from './call-answer.ts';

/** The last event of a call, which is handled separately. */
type LastEvent = 'result' | 'problem' | 'record';

/**
 * An event of a call, where `kind` is the name of the event in the daemon's API. The last one is
 * `result` or `record`.
 */
export type CallEvent<Answer = CallAnswer> =
  | KnownEvent
  | { kind: 'result'; answer: Answer }
  | {
      kind: 'record';
      /** Its record in the log: the daemon no longer has the call, for example after a restart. */
      execution: ExecutionStatus;
    };

type KnownEvent = Flat<Exclude<SentEvent, { event: LastEvent }>>;
type Flat<Event> = Event extends { event: infer Kind; data: infer Data } ? { kind: Kind } & Data : never;

/**
 * Converts an event of the daemon at `url`; `undefined` for an unknown kind. Throws an
 * `AmbitProblem` for a refusal, and `NOT_AMBIT` for anything that no daemon sends.
 */
export function callEvent<Answer>({ name, data }: StreamEvent, url: string): CallEvent<Answer> | undefined {
  if (name === 'problem') {
    const body = parseBody<object>(data, url);
    throw isProblem(body) ? new AmbitProblem(body) : notAmbit(url);
  }
  if (name === 'result') return { kind: name, answer: parseBody<Answer>(data, url) };
  if (name === 'record') return { kind: name, execution: parseBody<ExecutionStatus>(data, url) };
  const event = { kind: name };
  return isKnown(event) ? { ...event, ...parseBody<object>(data, url) } : undefined;
}

function isKnown(event: { kind: string }): event is KnownEvent {
  return Object.hasOwn(known, event.kind);
}

/** Whether this is the last event. */
export function isLastOfCall({ name }: Pick<StreamEvent, 'name'>): boolean {
  return name === 'result' || name === 'problem' || name === 'record';
}

/** Typed to list every event, so that none in the API is forgotten. */
const known: Readonly<Record<Exclude<SentEvent['event'], LastEvent>, true>> = {
  queued: true,
  started: true,
  stdout: true,
  stderr: true,
  log: true,
  progress: true,
  link: true,
  call: true,
  gap: true,
  unstored: true,
};
