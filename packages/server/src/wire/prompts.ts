import type { Catalog, Selection, SelectionRequest } from '@ambit/core';
import type { Actor } from '@ambit/core/audit';
import type { ComposedPrompt } from './answer/prompt-answer.ts';
import type { PromptBody } from './prompt-body.ts';

/**
 * Selects skills and composes prompts with the current configuration, from its catalog or from
 * `from`, a part of it.
 */
export interface Prompts {
  /** Rejects with `SKILL_CYCLE` if the skills to select require one another in a circle. */
  select(request: SelectionRequest, from?: Pick<Catalog, 'list'>): Promise<Selection>;
  /**
   * For `by`, or from the whole catalog for the operator. Rejects like `select`, with
   * `CAPABILITY_DENIED` if the operator does not allow context from the given folder, and with
   * `OVERLOADED` if too many callers are waiting for context.
   */
  compose(request: PromptBody, signal: AbortSignal, by?: PromptCaller): Promise<ComposedPrompt>;
}

/** The caller of a composition, and the skills that it can see. */
interface PromptCaller {
  actor: Actor;
  catalog: Pick<Catalog, 'list'>;
}
