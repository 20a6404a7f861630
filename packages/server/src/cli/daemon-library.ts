import { type AmbitClientOptions, ambitClient } from '@ambit/client';
import type { SkillDetail, SkillList } from '../wire/answer/skill.ts';
import type { PromptAnswer } from '../wire/prompt-answer.ts';
import { saidHere } from './daemon-client.ts';
import type { DaemonLibrary } from './library.ts';

/**
 * Asks a daemon. Refusals come back as the errors that they were there. What the client knows of answers was made from
 * the schemas that they have here.
 */
export function daemonLibrary(daemon: AmbitClientOptions): DaemonLibrary {
  const client = ambitClient(daemon);
  const said = async <Answer>(answer: Promise<unknown>): Promise<Answer> => {
    try {
      return (await answer) as Answer;
    } catch (error) {
      throw saidHere(daemon.url, error);
    }
  };
  return {
    async skills() {
      const { next: first, ...found } = await said<SkillList>(client.skills());
      const skills = [...found.skills];
      for (let after = first; after !== null; ) {
        const page = await said<SkillList>(client.skills({ after }));
        skills.push(...page.skills);
        after = page.next;
      }
      // What cannot be used is on the first page alone.
      return { ...found, skills };
    },
    skill: (id) => said<SkillDetail>(client.skill(id)),
    compose: (body) => said<PromptAnswer>(client.prompt(body)),
  };
}
