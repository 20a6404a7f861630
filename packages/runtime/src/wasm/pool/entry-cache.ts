/** Which entries a host has compiled, told without asking it. */
export interface EntryCache {
  holds(key: string): boolean;
  /** Marks it as the last used; nothing makes room for it. */
  use(key: string): string[];
  /** Notes a new one, and gives the keys of those that make room for it: the least recently used. */
  keep(key: string, bytes: number): string[];
  forget(key: string): void;
}

const entriesMax = 64;
/** Of what they are made of; compiled they are several times as much. */
const bytesMax = 16 * 1024 * 1024;

/** An empty list. One entry is always kept, however large. */
export function entryCache(): EntryCache {
  /** In order of use. */
  const kept = new Map<string, number>();
  let bytesKept = 0;
  const forget = (key: string): void => {
    bytesKept -= kept.get(key) ?? 0;
    kept.delete(key);
  };
  return {
    holds: (key) => kept.has(key),
    use(key) {
      const bytes = kept.get(key) ?? 0;
      kept.delete(key);
      kept.set(key, bytes);
      return [];
    },
    keep(key, bytes) {
      const dropped: string[] = [];
      for (const oldest of kept.keys()) {
        if (kept.size < entriesMax && bytesKept + bytes <= bytesMax) break;
        forget(oldest);
        dropped.push(oldest);
      }
      kept.set(key, bytes);
      bytesKept += bytes;
      return dropped;
    },
    forget,
  };
}
