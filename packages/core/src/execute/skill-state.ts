/**
 * The small key-value stores of skills, one a skill; a skill is granted to read its own or to write it as well. Values are
 * what JSON holds.
 */
export interface SkillState {
  /** `null` when nothing is kept under the key. */
  get(skillId: string, key: string): Promise<unknown>;
  /**
   * Keeps a value, durably when this resolves; `null` takes it away. Rejects with a `StateError` beyond `stateBounds`.
   */
  set(skillId: string, key: string, value: unknown): Promise<void>;
  /** Everything that is stored. */
  all(skillId: string): Promise<StateTexts>;
  /**
   * Sets and removes any number of keys in one durable step: all of them, or none. The other keys stay. Rejects with a
   * `StateError` beyond `stateBounds`.
   */
  change(skillId: string, changes: StateTexts<null>): Promise<void>;
}

/** By key, each value as JSON without white space; in a change, `null` removes the key. */
export type StateTexts<Removed = never> = ReadonlyMap<string, string | Removed>;

/** How much one skill can keep. */
export const stateBounds = { keyCharacters: 256, valueBytes: 65_536, keys: 1000, bytes: 1_048_576 } as const;

/** A store does not take something; its message is for the skill. */
export class StateError extends Error {
  override readonly name = 'StateError';
}
