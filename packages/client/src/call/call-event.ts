import type { ChainAnswer, ExecuteAnswer, Execution, Problem } from '../api/names.ts';
import { AmbitProblem } from '../failure/ambit-problem.ts';
import type { StreamEvent } from '../stream/events-in.ts';

/** What every event of a chain's link has beside its own: which link, from 1. */
interface OfLink {
  position?: number;
}

/** What happens in a call; the last is `result`, or `record`. */
export type CallEvent<Answer = ExecuteAnswer | ChainAnswer> =
  /** Its record has begun. */
  | ({ kind: 'queued' } & OfLink)
  /** It has left the queue. */
  | ({ kind: 'started' } & OfLink)
  | ({ kind: 'stdout' | 'stderr' | 'log'; text: string } & OfLink)
  | ({ kind: 'progress'; done: number; total?: number; message?: string } & OfLink)
  /** A link of a chain has ended. */
  | ({ kind: 'link' } & ChainAnswer['links'][number])
  /** So many events are not kept any more. */
  | { kind: 'gap'; events: number }
  | { kind: 'result'; answer: Answer }
  /** The daemon does not hold the call any more, as after a restart: what the log has of it. */
  | { kind: 'record'; execution: Execution };

/** The event as it is handed out; `undefined` for a kind that is not known here. Throws the `AmbitProblem` of a refusal. */
export function callEvent<Answer>({ name, data }: StreamEvent): CallEvent<Answer> | undefined {
  const said: unknown = JSON.parse(data);
  if (name === 'problem') throw new AmbitProblem(said as Problem);
  if (name === 'result') return { kind: name, answer: said as Answer };
  if (name === 'record') return { kind: name, execution: said as Execution };
  return known.has(name) ? ({ kind: name, ...(said as object) } as CallEvent<Answer>) : undefined;
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
  'gap',
]);
