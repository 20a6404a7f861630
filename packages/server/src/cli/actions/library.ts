import type { PromptAnswer } from '../../wire/answer/prompt-answer.ts';
import type { SkillDetail, SkillList } from '../../wire/answer/skill.ts';
import type { PromptBody } from '../../wire/prompt-body.ts';

/** The skills and prompts of a daemon. */
export interface DaemonLibrary {
  /** All skills that the key may see, some of the unusable folders, and the number of all unusable ones. */
  skills(): Promise<Omit<SkillList, 'next'>>;
  /** Rejects with `SKILL_NOT_FOUND`. */
  skill(id: string): Promise<SkillDetail>;
  compose(body: PromptBody): Promise<PromptAnswer>;
}
