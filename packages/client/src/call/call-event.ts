import type { ChainAnswer, Execution, Outcome, ProblemCode } from '../api/names.ts';
import { AmbitProblem } from '../failure/ambit-problem.ts';
import { notAmbit } from '../failure/not-ambit.ts';
import { isProblem } from '../failure/problem-in.ts';
import { saidIn } from '../request/said-in.ts';
import type { StreamEvent } from '../stream/events-in.ts';
import type { CallAnswer } from './asked-call.ts';

/** What every event of a chain's link, or of a batch's call, has beside its own: which of them, from 1. */
interface OfMany {
  position?: number;
}

/** One call of a batch, and how it ended. */
interface EndedCall {
  position: number;
  skillId: string;
  executionId: string;
  outcome: Outcome['status'] | 'denied';
  /** What it was refused with. */
  code?: ProblemCode;
}

/** What happens in a call; the last is `result`, or `record`. */
export type CallEvent<Answer = CallAnswer> =
  /** Its record has begun. */
  | ({ kind: 'queued' } & OfMany)
  /** It has left the queue. */
  | ({ kind: 'started' } & OfMany)
  | ({ kind: 'stdout' | 'stderr' | 'log'; text: string } & OfMany)
  | ({ kind: 'progress'; done: number; total?: number; message?: string } & OfMany)
  /** A link of a chain has ended. */
  | ({ kind: 'link' } & ChainAnswer['links'][number])
  /** A call of a batch has ended. */
  | ({ kind: 'call' } & EndedCall)
  /** So many events are not kept any more. */
  | { kind: 'gap'; events: number }
  | { kind: 'result'; answer: Answer }
  /** The daemon does not hold the call any more, as after a restart: what the log has of it. */
  | { kind: 'record'; execution: Execution };

/**
 * The event of the daemon at `url` as it is handed out; `undefined` for a kind that is not known here. Throws the `AmbitProblem`
 * of a refusal, and `NOT_AMBIT` for what no daemon says.
 */
export function callEvent<Answer>({ name, data }: StreamEvent, url: string): CallEvent<Answer> | undefined {
  if (!isLastOfCall({ name }) && !known.has(name)) return undefined;
  const said = saidIn(data, url);
  if (name === 'problem') throw isProblem(said) ? new AmbitProblem(said) : notAmbit(url);
  if (name === 'result') return { kind: name, answer: said as Answer };
  if (name === 'record') return { kind: name, execution: said as Execution };
  return { kind: name, ...said } as CallEvent<Answer>;
}

/** Whether nothing comes after it. */
export function isLastOfCall({ name }: Pick<StreamEvent, 'name'>): boolean {
  return name === 'result' || name === 'problem' || name === 'record';
}

const known: ReadonlySet<string> = new Set([
  'queued',
  'started',
  'stdout',
  'stderr',
  'log',
  'progress',
  'link',
  'call',
  'gap',
]);
