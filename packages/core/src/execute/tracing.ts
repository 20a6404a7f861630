import type { Tier } from '../capability/tier.ts';
import type { OutcomeStatus } from './outcome.ts';
import type { SkillErrorCode } from './skill-error.ts';

/** The stretches of a call. `execute` is the whole of it, and the others are within. */
export type SpanName =
  | 'execute'
  | 'begin record'
  | 'queue'
  | 'check input'
  | 'run'
  | 'check output'
  | 'end record';

/** What is told of a stretch: names and codes, and nothing that a caller or a skill wrote. */
export interface SpanFacts {
  executionId?: string;
  /** Only of a skill that was found. */
  skill?: { id: string; version: string | undefined; tier: Tier };
  runtime?: string;
  sandbox?: string;
  outcome?: OutcomeStatus;
  /** Why it was refused. */
  code?: SkillErrorCode;
}

/** Is told where a call's time goes. It is no part of the record. */
export interface Tracing {
  /**
   * Runs `work` as a stretch of its own; what begins within `work` belongs to it. `note` adds facts that are known later.
   * Resolves and rejects as `work` does, whatever becomes of what was told.
   */
  span<T>(
    name: SpanName,
    facts: SpanFacts,
    work: (note: (facts: SpanFacts) => void) => Promise<T>,
  ): Promise<T>;
}

/** For whoever does not look. */
export const untraced: Tracing = { span: (_name, _facts, work) => work(() => undefined) };
