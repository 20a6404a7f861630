import type { Skill } from '../../skill/skill.ts';
import { layOut } from '../layout.ts';
import { xmlText } from './escape-xml.ts';
import { skillsFrame, skillTags } from './skill-element.ts';
import { generateSkillMetadataXml } from './skill-metadata.ts';

/**
 * Puts the bodies of active skills into a system prompt, in the order given: right after the first `</identity>`, or
 * before everything where there is none, with a blank line around them. Without active skills the prompt comes back
 * byte for byte. The prompt is no template here.
 */
export function injectActiveSkillPrompts(systemPrompt: string, active: readonly Skill[]): string {
  return withBlocks(systemPrompt, { skills: activeSkills(active) });
}

/**
 * Both: the bodies of active skills as `injectActiveSkillPrompts` places them, and at the end, after a blank line, the
 * metadata of all skills. The end, because nothing may stand between `</identity>` and the instructions in force.
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
