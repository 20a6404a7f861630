import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type SkillState, StateError, type StateTexts, stateBounds } from '@ambit/core/internal';
import { readOrdinaryFile } from '../durable/read-ordinary-file.ts';
import { writeDurably } from '../durable/write-durably.ts';

/**
 * Stores the state of skills as JSON files in a folder, one per skill, closed to other users. Each
 * store is read once and cached, so no other process may write there meanwhile. A change is
 * complete on disk before it is acknowledged.
 */
export function folderState(folder: string): SkillState {
  const stores = new Map<string, Promise<Store>>();
  const storeOf = (skillId: string): Promise<Store> => {
    const store = stores.get(skillId) ?? openStore(folder, skillId);
    stores.set(skillId, store);
    // The next call tries again.
    store.catch(() => stores.delete(skillId));
    return store;
  };
  const change: SkillState['change'] = async (skillId, changes) => (await storeOf(skillId)).change(changes);
  return {
    get: async (skillId, key) => (await storeOf(skillId)).get(key),
    set: async (skillId, key, value) => change(skillId, new Map([[key, textOf(value)]])),
    all: async (skillId) => (await storeOf(skillId)).all(),
    change,
  };
}

interface Store {
  get(key: string): unknown;
  all(): Values;
  change(changes: StateTexts<null>): Promise<void>;
}

async function openStore(folder: string, skillId: string): Promise<Store> {
  const file = join(folder, `${encodeURIComponent(skillId)}.json`);
  let values = await readValues(file);
  let writing: Promise<void> = Promise.resolve();
  return {
    get: (key) => {
      const text = values.get(key);
      return text === undefined ? null : JSON.parse(text);
    },
    all: () => values,
    async change(changes) {
      // One at a time, so concurrent calls of a skill do not overwrite each other's changes.
      const written = writing.then(async () => {
        const next = applyChanges(values, changes);
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeWhole(file, next);
        values = next;
      });
      writing = written.catch(() => undefined);
      return written;
    },
  };
}

type Values = StateTexts;

function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

function applyChanges(values: Values, changes: StateTexts<null>): Values {
  const { keyCharacters, valueBytes, keys, bytes } = stateBounds;
  const next = new Map(values);
  let removesOnly = true;
  for (const [key, text] of changes) {
    if (key.length > keyCharacters)
      throw new StateError(`a key may have at most ${keyCharacters} characters`);
    if (text === null) {
      next.delete(key);
      continue;
    }
    if (Buffer.byteLength(text) > valueBytes)
      throw new StateError(`a value may have at most ${valueBytes} bytes`);
    next.set(key, text);
    removesOnly = false;
  }
  if (removesOnly) return next;
  if (next.size > keys) throw new StateError(`a skill may store at most ${keys} keys`);
  let total = 0;
  for (const [each, stored] of next) total += Buffer.byteLength(each) + Buffer.byteLength(stored);
  if (total > bytes) throw new StateError(`a skill may store at most ${bytes} bytes`);
  return next;
}

async function readValues(file: string): Promise<Values> {
  let text: string;
  try {
    text = (await readOrdinaryFile(file)).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw error;
  }
  const entries = Object.entries(JSON.parse(text) as Record<string, unknown>);
  return new Map(entries.map(([key, value]) => [key, JSON.stringify(value)]));
}

async function writeWhole(file: string, values: Values): Promise<void> {
  const parts = [...values].map(([key, text]) => `${JSON.stringify(key)}:${text}`);
  await writeDurably(file, `{${parts.join(',\n')}}\n`);
}
