/**
 * For programs that compose prompts from skills and offer them to a model: select skills, compose a prompt, describe
 * tools. The rest is in `@ambit/core/select`, `/prompt`, `/execute` and `/audit`.
 */

export { modelSchema } from './model-text/model-schema.ts';
export { modelDescription, modelLine, modelText } from './model-text/model-text.ts';
export { SkillError, type SkillErrorCode } from './outcome/skill-error.ts';
export { composePrompt } from './prompt/compose/compose-prompt.ts';
export type { Composition, CompositionInput } from './prompt/compose/composition.ts';
export { explainText } from './prompt/compose/explain-text.ts';
export { skillContent } from './prompt/skill-content.ts';
export { agentIndex } from './select/agent-index.ts';
export { leftOutText } from './select/reason-text.ts';
export type { Selection, SelectionRequest } from './select/selection.ts';
export { selectSkills } from './select/skill-selector.ts';
export type { BrokenSkill, Catalog } from './skill/catalog.ts';
export { payloadSchema } from './skill/run.ts';
export { isExecutable, type Skill } from './skill/skill.ts';
