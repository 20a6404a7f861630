import type { PromptAnswer, SkillDetail, SkillList } from '@ambit/api';
import { type AmbitClientOptions, ambitClient } from '@ambit/client';
import type { DaemonLibrary } from '../ports/actions.ts';
import { withLocalErrors } from './local-error.ts';

/** Reads a daemon's skills. Rejects with the daemon's errors. The client's types are generated from the same schemas. */
export function daemonLibrary(daemon: AmbitClientOptions): DaemonLibrary {
  const client = ambitClient(daemon);
  const translated = withLocalErrors(daemon.url);
  return {
    async skills() {
      const { next: first, ...found } = (await translated(client.skills())) as SkillList;
      const skills = [...found.skills];
      for (let after = first; after !== null; ) {
        const page = (await translated(client.skills({ after }))) as SkillList;
        skills.push(...page.skills);
        after = page.next;
      }
      // Only the first page lists unusable folders.
      return { ...found, skills };
    },
    skill: async (id) => (await translated(client.skill(id))) as SkillDetail,
    compose: async (body) => (await translated(client.prompt(body))) as PromptAnswer,
  };
}
