import type { Skill } from '../skill/skill.ts';
import { prepareCatalog } from './prepared/prepared-catalog.ts';
import { leftOutText } from './reason-text.ts';

/** The skills that require themselves, directly or through others, each with the reason why no selection has it. */
export function circularSkills(skills: readonly Skill[]): ReadonlyMap<Skill, string> {
  return new Map(
    prepareCatalog({ skills }).skills.flatMap(({ skill, circle }) =>
      circle === undefined
        ? []
        : [[skill, leftOutText({ id: skill.id, reason: { kind: 'circle', chain: circle } })] as const],
    ),
  );
}
