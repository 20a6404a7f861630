import type { Grant } from '../../grant/grant.ts';

/**
 * The key-value stores of skills, one per skill. A skill can be granted to read its own store, or to read
 * and write it. Values are JSON.
 */
export interface SkillState {
  /** `null` if the key has no value. */
  get(skillId: string, key: string): Promise<unknown>;
  /**
   * Stores a value durably; `null` removes it. Rejects with a `StateError` beyond `stateBounds`.
   */
  set(skillId: string, key: string, value: unknown): Promise<void>;
  /** All stored values. */
  all(skillId: string): Promise<StateTexts>;
  /**
   * Sets and removes any number of keys in one durable step. Other keys stay. Rejects with a `StateError`
   * beyond `stateBounds`.
   */
  change(skillId: string, changes: StateTexts<null>): Promise<void>;
}

/** Each key's value as JSON without white space. In a change, `null` removes the key. */
export type StateTexts<Removed = never> = ReadonlyMap<string, string | Removed>;

/** The limits of one skill's store. */
export const stateBounds = { keyCharacters: 256, valueBytes: 65_536, keys: 1000, bytes: 1_048_576 } as const;

/** The stores as a call has them: a trial reads the state of its skill, and its changes are dropped. */
export function stateFor({ trial }: Pick<Grant, 'trial'>, state: SkillState): SkillState {
  if (!trial) return state;
  return {
    get: (skillId, key) => state.get(skillId, key),
    all: (skillId) => state.all(skillId),
    set: async () => undefined,
    change: async () => undefined,
  };
}

/** A store refused a change. The message is for the skill. */
export class StateError extends Error {
  override readonly name = 'StateError';
}
