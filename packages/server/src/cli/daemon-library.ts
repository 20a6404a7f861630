import type { SkillList, SkillSummary } from '../wire/answer/skill.ts';
import { refusal, unreachable } from './daemon-client.ts';
import type { DaemonLibrary } from './library.ts';

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
    async skills() {
      const skills: SkillSummary[] = [];
      let broken: SkillList['broken'] | undefined;
      for (let after: string | undefined; ; ) {
        const from = after === undefined ? '' : `?after=${encodeURIComponent(after)}`;
        const page: SkillList = await ask(`/skills${from}`);
        skills.push(...page.skills);
        // The first page has all of them.
        broken ??= page.broken;
        if (page.next === null) return { skills, broken };
        after = page.next;
      }
    },
    skill: (id) => ask(`/skills/${encodeURIComponent(id)}`),
    compose: (body) => ask('/prompt', body),
  };
}
