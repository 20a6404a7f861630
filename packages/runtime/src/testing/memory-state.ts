import type { SkillState, StateTexts } from '@ambit/core/execute';

/** The state of skills in memory, without limits. */
export function memoryState(): SkillState {
  const skills = new Map<string, StateTexts>();
  const all = async (skillId: string): Promise<StateTexts> => skills.get(skillId) ?? new Map();
  const change = async (skillId: string, changes: StateTexts<null>): Promise<void> => {
    const next = new Map(await all(skillId));
    for (const [key, text] of changes) {
      if (text === null) next.delete(key);
      else next.set(key, text);
    }
    skills.set(skillId, next);
  };
  return {
    get: async (skillId, key) => JSON.parse((await all(skillId)).get(key) ?? 'null'),
    set: (skillId, key, value) => change(skillId, new Map([[key, JSON.stringify(value)]])),
    all,
    change,
  };
}
