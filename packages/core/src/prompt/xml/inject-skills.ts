import type { Skill } from '../../skill/skill.ts';
import { layOut } from '../layout.ts';
import { skillsFrame, skillTags } from './skill-element.ts';
import { generateSkillMetadataXml } from './skill-metadata.ts';
import { xmlText } from './xml-text.ts';

/**
 * Inserts the bodies of active skills into a system prompt, in the given order: right after the
 * first `</identity>`, or at the start if there is none, set off by blank lines. Without active
 * skills the prompt is returned byte for byte. The prompt is not a template here.
 */
export function injectActiveSkillPrompts(systemPrompt: string, active: readonly Skill[]): string {
  return withBlocks(systemPrompt, { skills: activeSkills(active) });
}

/**
 * Inserts the bodies of active skills as `injectActiveSkillPrompts` does, and appends the metadata
 * of all skills after a blank line. The metadata is last because nothing may separate `</identity>`
 * from the instructions in force.
 */
export function buildSkillEnhancedPrompt(
  systemPrompt: string,
  all: readonly Skill[],
  active: readonly Skill[],
): string {
  return withBlocks(systemPrompt, {
    skills: activeSkills(active),
    available_skills: generateSkillMetadataXml(all),
  });
}

function withBlocks(systemPrompt: string, blocks: { skills: string; available_skills?: string }): string {
  const { skills, available_skills = '' } = blocks;
  const texts = { skills, available_skills, skill_context: '' };
  return layOut([{ text: systemPrompt, variable: null }], {
    skills: skills !== '',
    available_skills: available_skills !== '',
    skill_context: false,
  })
    .map((item) => (item.slot === null ? item.text : item.open + texts[item.slot] + item.close))
    .join('');
}

function activeSkills(active: readonly Skill[]): string {
  if (active.length === 0) return '';
  const elements = active.map((skill) => {
    const { open, close } = skillTags(skill);
    return open + xmlText(skill.body) + close;
  });
  return skillsFrame.begin + elements.join(skillsFrame.between) + skillsFrame.end;
}
