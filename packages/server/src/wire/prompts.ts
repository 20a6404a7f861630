import type { Catalog, Selection, SelectionRequest } from '@ambit/core';
import type { ComposedPrompt } from './answer/prompt-answer.ts';
import type { PromptBody } from './prompt-body.ts';

/** Skills selected and put into prompts, over the configuration in force and its catalog, or over `from`: some of it. */
export interface Prompts {
  /** Rejects with `SKILL_CYCLE` when the skills that would be selected require one another in a circle. */
  select(request: SelectionRequest, from?: Pick<Catalog, 'list'>): Promise<Selection>;
  /** Rejects alike, and with `CAPABILITY_DENIED` when context is to be gathered where the operator does not allow it. */
  compose(request: PromptBody, signal: AbortSignal, from?: Pick<Catalog, 'list'>): Promise<ComposedPrompt>;
}
