import type { ExecutionStatus, SentEvent } from '../api/names.ts';
import { AmbitProblem } from '../failure/ambit-problem.ts';
import { notAmbit } from '../failure/not-ambit.ts';
import { isProblem } from '../failure/problem-in.ts';
import { parseBody } from '../request/parse-body.ts';
import type { StreamEvent } from '../stream/events-in.ts';
import type { CallAnswer } from './call-request.ts';

/** The last of a call's events, each of which is handed out in its own way. */
type LastEvent = 'result' | 'problem' | 'record';

/** What happens in a call, as the daemon's contract has it, `kind` being the event's name; the last is `result`, or `record`. */
export type CallEvent<Answer = CallAnswer> =
  | Flat<Exclude<SentEvent, { event: LastEvent }>>
  | { kind: 'result'; answer: Answer }
  /** The daemon does not hold the call any more, as after a restart: what the log has of it. */
  | { kind: 'record'; execution: ExecutionStatus };

type Flat<Event> = Event extends { event: infer Kind; data: infer Data } ? { kind: Kind } & Data : never;

/**
 * The event of the daemon at `url` as it is handed out; `undefined` for a kind that is not known here. Throws the `AmbitProblem`
 * of a refusal, and `NOT_AMBIT` for what no daemon says.
 */
export function callEvent<Answer>({ name, data }: StreamEvent, url: string): CallEvent<Answer> | undefined {
  if (!isLastOfCall({ name }) && !Object.hasOwn(known, name)) return undefined;
  const said = parseBody(data, url);
  if (name === 'problem') throw isProblem(said) ? new AmbitProblem(said) : notAmbit(url);
  if (name === 'result') return { kind: name, answer: said as Answer };
  if (name === 'record') return { kind: name, execution: said as ExecutionStatus };
  return { kind: name, ...said } as CallEvent<Answer>;
}

/** Whether nothing comes after it. */
export function isLastOfCall({ name }: Pick<StreamEvent, 'name'>): boolean {
  return name === 'result' || name === 'problem' || name === 'record';
}

/** Every one is named, so that none that the contract has is passed over. */
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
};
