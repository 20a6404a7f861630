import type { SkillState } from '@ambit/core/execute';

/** A store that is always empty, for skills without state. */
export const noState: SkillState = {
  get: async () => null,
  set: async () => undefined,
  all: async () => new Map(),
  change: async () => undefined,
};
