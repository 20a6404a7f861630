import { type AmbitClientOptions, ambitClient } from '@ambit/client';
import type { PromptAnswer } from '../../wire/answer/prompt-answer.ts';
import type { SkillDetail, SkillList } from '../../wire/answer/skill.ts';
import type { DaemonLibrary } from '../actions/library.ts';
import { heardFrom } from './local-error.ts';

/**
 * Asks a daemon. Refusals come back as the errors that they were there. What the client knows of answers was made from
 * the schemas that they have here.
 */
export function daemonLibrary(daemon: AmbitClientOptions): DaemonLibrary {
  const client = ambitClient(daemon);
  const said = heardFrom(daemon.url);
  return {
    async skills() {
      const { next: first, ...found } = (await said(client.skills())) as SkillList;
      const skills = [...found.skills];
      for (let after = first; after !== null; ) {
        const page = (await said(client.skills({ after }))) as SkillList;
        skills.push(...page.skills);
        after = page.next;
      }
      // What cannot be used is on the first page alone.
      return { ...found, skills };
    },
    skill: async (id) => (await said(client.skill(id))) as SkillDetail,
    compose: async (body) => (await said(client.prompt(body))) as PromptAnswer,
  };
}
