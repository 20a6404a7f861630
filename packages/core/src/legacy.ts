/**
 * Functions of earlier prompt libraries, under their old names, for programs that move to Ambit. New programs use `composePrompt`.
 */
export { buildSkillEnhancedPrompt, injectActiveSkillPrompts } from './prompt/xml/inject-skills.ts';
export { generateSkillMetadataXml } from './prompt/xml/skill-metadata.ts';
