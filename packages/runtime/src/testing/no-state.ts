import type { SkillState } from '@ambit/core/internal';

/** A store that is always empty, for skills that keep nothing. */
export const noState: SkillState = {
  get: async () => null,
  set: async () => undefined,
  all: async () => new Map(),
  change: async () => undefined,
};
