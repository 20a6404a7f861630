import type { SkillDetail, SkillSummary } from '../wire/answer/skill.ts';
import type { PromptAnswer } from '../wire/prompt-answer.ts';
import type { PromptBody } from '../wire/prompt-body.ts';
import { refusal, unreachable } from './daemon-client.ts';

/** The skills of a daemon, and prompts of them. */
export interface DaemonLibrary {
  skills(): Promise<{
    skills: readonly SkillSummary[];
    broken: readonly { id: string; root?: string; problem: string }[];
  }>;
  /** Rejects with `SKILL_NOT_FOUND`. */
  skill(id: string): Promise<SkillDetail>;
  compose(body: PromptBody): Promise<PromptAnswer>;
}

/** Asks a daemon. Refusals come back as the errors that they were there. */
export function daemonLibrary({ url, key }: { url: string; key: string }): DaemonLibrary {
  const ask = async <Answer>(path: string, body?: object): Promise<Answer> => {
    try {
      const response = await fetch(`${url}${path}`, {
        headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      const answer = await response.json();
      if (response.ok) return answer as Answer;
      throw refusal(url, response.status, answer as Record<string, unknown>);
    } catch (error) {
      throw error instanceof TypeError || error instanceof SyntaxError ? unreachable(url, error) : error;
    }
  };
  return {
    skills: () => ask('/skills'),
    skill: (id) => ask(`/skills/${encodeURIComponent(id)}`),
    compose: (body) => ask('/prompt', body),
  };
}
