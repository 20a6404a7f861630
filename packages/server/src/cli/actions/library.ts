import type { PromptAnswer } from '../../wire/answer/prompt-answer.ts';
import type { SkillDetail, SkillList } from '../../wire/answer/skill.ts';
import type { PromptBody } from '../../wire/prompt-body.ts';

/** The skills of a daemon, and prompts of them. */
export interface DaemonLibrary {
  /** All that the key may see; of folders that cannot be used no more than are told of, and how many there are. */
  skills(): Promise<Omit<SkillList, 'next'>>;
  /** Rejects with `SKILL_NOT_FOUND`. */
  skill(id: string): Promise<SkillDetail>;
  compose(body: PromptBody): Promise<PromptAnswer>;
}
