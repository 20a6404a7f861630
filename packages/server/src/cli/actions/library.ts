import type { PromptAnswer } from '../../wire/answer/prompt-answer.ts';
import type { SkillDetail, SkillList, SkillSummary } from '../../wire/answer/skill.ts';
import type { PromptBody } from '../../wire/prompt-body.ts';

/** The skills of a daemon, and prompts of them. */
export interface DaemonLibrary {
  /** All that the key may see. */
  skills(): Promise<{
    skills: readonly SkillSummary[];
    broken: SkillList['broken'];
  }>;
  /** Rejects with `SKILL_NOT_FOUND`. */
  skill(id: string): Promise<SkillDetail>;
  compose(body: PromptBody): Promise<PromptAnswer>;
}
