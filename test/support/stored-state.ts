import { join } from 'node:path';
import { openSqliteStore, skillState } from '../../packages/server/src/index.ts';

/** The keys and values of a skill in the store of a data directory, beside the daemon that uses it. */
export async function storedState(dataDir: string, skill: string): Promise<Record<string, unknown>> {
  const store = openSqliteStore(join(dataDir, 'store.db'));
  try {
    const texts = [...(await skillState(store).all(skill))];
    return Object.fromEntries(texts.map(([key, text]) => [key, JSON.parse(text)]));
  } finally {
    await store.close();
  }
}
