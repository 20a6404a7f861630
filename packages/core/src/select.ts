/**
 * Types of a selection, and the reasons for it in words. `selectSkills` is in `@ambit/core`.
 */

export { skillSearch } from './search/skill-search.ts';
export { agentIndexer, type SkillIndexEntry } from './select/agent-index.ts';
export { circularSkills } from './select/circular-skills.ts';
export { becauseText } from './select/reason-text.ts';
export type {
  AgentSettings,
  EffectiveMcpServers,
  EffectiveTools,
  LeftOutSkill,
  PhaseSettings,
  SelectedSkill,
  SelectionCatalog,
} from './select/selection.ts';
export { skillSelector } from './select/skill-selector.ts';
