/**
 * Parts of prompts: templates, budgets, context. `composePrompt`, which uses them all, is in `@ambit/core`.
 */

export { type CountTokens, estimateTokens } from './model-text/count-tokens.ts';
export { cutText } from './model-text/listed-text.ts';
export { tierMark } from './model-text/model-text.ts';
export { hiddenRuns, markHidden } from './model-text/visible-text.ts';
export { promptComposer } from './prompt/compose/compose-prompt.ts';
export { withFallback } from './prompt/compose/with-fallback.ts';
export type { GatheredContext } from './prompt/context.ts';
export { fillTemplate } from './prompt/fill-template.ts';
export { fitSections, type Section } from './prompt/fit-sections.ts';
export { iterationPrompt } from './prompt/iteration-prompt.ts';
export { renderContext } from './prompt/render-context.ts';
export { availableSkillsIndex } from './prompt/skills-index.ts';
export { xmlText } from './prompt/xml/xml-text.ts';
