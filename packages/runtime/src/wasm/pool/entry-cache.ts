/** Tracks which entries a host has compiled, without asking it. */
export interface EntryCache {
  holds(key: string): boolean;
  /** Marks an entry as the most recently used. Evicts nothing. */
  use(key: string): string[];
  /** Adds an entry, and returns the keys of evicted ones: the least recently used. */
  add(key: string, bytes: number): string[];
  forget(key: string): void;
}

const entriesMax = 64;
/** The size of their sources; compiled entries are several times as large. */
const bytesMax = 16 * 1024 * 1024;

/** An empty cache. It always holds at least one entry, however large. */
export function entryCache(): EntryCache {
  /** In order of use. */
  const entries = new Map<string, number>();
  let totalBytes = 0;
  const forget = (key: string): void => {
    totalBytes -= entries.get(key) ?? 0;
    entries.delete(key);
  };
  return {
    holds: (key) => entries.has(key),
    use(key) {
      const bytes = entries.get(key) ?? 0;
      entries.delete(key);
      entries.set(key, bytes);
      return [];
    },
    add(key, bytes) {
      const dropped: string[] = [];
      for (const oldest of entries.keys()) {
        if (entries.size < entriesMax && totalBytes + bytes <= bytesMax) break;
        forget(oldest);
        dropped.push(oldest);
      }
      entries.set(key, bytes);
      totalBytes += bytes;
      return dropped;
    },
    forget,
  };
}
