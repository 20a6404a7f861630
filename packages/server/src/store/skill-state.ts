import { type SkillState, StateError, type StateTexts, stateBounds } from '@ambit/core/execute';
import type { StateChange } from './operations/skill-state.ts';
import type { Store } from './store.ts';

/** The state of skills in a store. A change is durable before it is acknowledged. */
export function skillState(store: Pick<Store, 'run'>): SkillState {
  const change = async (skillId: string, changes: StateTexts<null>): Promise<void> => {
    const exceeded = await store.run('changeState', skillId, [...changes].map(checkedChange));
    if (exceeded !== undefined)
      throw new StateError(
        exceeded === 'keys'
          ? `a skill may store at most ${stateBounds.keys} keys`
          : `a skill may store at most ${stateBounds.bytes} bytes`,
      );
  };
  return {
    async get(skillId, key) {
      const value = await store.run('stateValue', skillId, JSON.stringify(key));
      return value === undefined ? null : JSON.parse(value);
    },
    set: (skillId, key, value) => change(skillId, new Map([[key, textOf(value)]])),
    async all(skillId) {
      const stored = await store.run('stateValues', skillId);
      return new Map(stored.map(({ key, value }) => [JSON.parse(key), value]));
    },
    change,
  };
}

function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

/** Throws a `StateError` beyond the limits of a key or value. */
function checkedChange([key, value]: readonly [string, string | null]): StateChange {
  const { keyCharacters, valueBytes } = stateBounds;
  if (key.length > keyCharacters) throw new StateError(`a key may have at most ${keyCharacters} characters`);
  if (value !== null && Buffer.byteLength(value) > valueBytes)
    throw new StateError(`a value may have at most ${valueBytes} bytes`);
  return { key: JSON.stringify(key), value, bytes: Buffer.byteLength(key) + Buffer.byteLength(value ?? '') };
}
