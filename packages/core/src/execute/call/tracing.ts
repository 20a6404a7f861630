import type { Tier } from '../../capability/tier.ts';
import type { OutcomeStatus } from '../../outcome/outcome.ts';
import type { SkillErrorCode } from '../../outcome/skill-error.ts';

/** The steps of a call. */
type SpanName = 'begin record' | 'queue' | 'check input' | 'run' | 'check output' | 'end record';

/** The attributes of a span: names and codes, never text from a caller or a skill. */
export interface SpanFacts {
  executionId?: string;
  /** Only if the skill exists. */
  skill?: { id: string; version: string | undefined; tier: Tier };
  runtime?: string;
  sandbox?: string;
  outcome?: OutcomeStatus;
  /** The code of the refusal. */
  code?: SkillErrorCode;
}

/** Traces calls. A trace is not part of the record. Nothing here throws. */
export interface Tracing {
  /** Starts the span of a call, below the span of its request. */
  start(facts: SpanFacts): CallSpan;
}

/** The span of a call, or of a step. */
export interface CallSpan {
  /** Adds facts that are known later. */
  note(facts: SpanFacts): void;
  /** Starts the span of a step of this call. */
  start(name: SpanName, facts?: SpanFacts): CallSpan;
  /** Ends the span; `error` says why the call or step failed. */
  end(error?: unknown): void;
}

/**
 * Does `work`, and ends `span` with it, with the facts that `factsOf` reads from the result. Returns and
 * fails like `work`.
 */
export async function during<T>(
  span: CallSpan,
  work: () => Promise<T>,
  factsOf?: (result: T) => SpanFacts,
): Promise<T> {
  try {
    const result = await work();
    if (factsOf !== undefined) span.note(factsOf(result));
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

const noSpan: CallSpan = { note: () => undefined, start: () => noSpan, end: () => undefined };

/** Traces nothing. */
export const untraced: Tracing = { start: () => noSpan };
