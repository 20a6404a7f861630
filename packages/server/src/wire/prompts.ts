import type { Catalog, Selection, SelectionRequest } from '@ambit/core';
import type { Actor } from '@ambit/core/audit';
import type { ComposedPrompt } from './answer/prompt-answer.ts';
import type { PromptBody } from './prompt-body.ts';

/** Skills selected and put into prompts, over the configuration in force and its catalog, or over `from`: some of it. */
export interface Prompts {
  /** Rejects with `SKILL_CYCLE` when the skills that would be selected require one another in a circle. */
  select(request: SelectionRequest, from?: Pick<Catalog, 'list'>): Promise<Selection>;
  /**
   * For `by`, or over the whole catalog for who runs this program. Rejects alike, with `CAPABILITY_DENIED` when context is to be
   * gathered where the operator does not allow it, and with `OVERLOADED` when too many wait for theirs.
   */
  compose(request: PromptBody, signal: AbortSignal, by?: PromptCaller): Promise<ComposedPrompt>;
}

/** Whom a prompt is composed for, and the skills that there are for them. */
interface PromptCaller {
  actor: Actor;
  catalog: Pick<Catalog, 'list'>;
}
