import { z } from 'zod';
import { type Capabilities, CapabilityKind } from '../capability/capabilities.ts';

const UsedItem = z
  .strictObject({
    item: z.string().describe('As a grant names it.'),
    count: z.number().describe('How often.'),
  })
  .meta({ id: 'UsedItem', description: 'An item that a run used.' });
type UsedItem = z.output<typeof UsedItem>;

/** The used items of one kind; `null` where the platform cannot tell. */
const UsedItems = z.array(UsedItem).readonly().nullable();
export type UsedItems = z.output<typeof UsedItems>;

/** The kinds that are lists of items. */
const ListedKind = CapabilityKind.exclude(['state', 'memory', 'host']);
type ListedKind = z.output<typeof ListedKind>;

/** The granted capabilities that a run used, in the vocabulary of grants. Denied accesses are in its denials. */
export const UsedCapabilities = z
  .strictObject({
    filesystem: z.strictObject({
      read: UsedItems,
      write: UsedItems.describe(
        '`workspace` counts the path operations of a WASI command, or the files that a program changed.',
      ),
    }),
    network: UsedItems.describe('Hosts that it connected to, with the number of requests or tunnels.'),
    env: UsedItems,
    secrets: UsedItems.describe(
      'Secrets whose value was inserted into a request, with the number of requests.',
    ),
    exec: UsedItems.describe('The program that ran its entry.'),
    state: z.enum(['none', 'read', 'write']).nullable(),
    memory: z.enum(['none', 'read']).nullable(),
    functions: UsedItems.describe('Host functions that it called, regardless of the result.'),
    unlisted: z
      .array(
        z.strictObject({
          capability: ListedKind,
          uses: z.number().nullable().describe('The number of uses that are left out; `null` if unknown.'),
        }),
      )
      .readonly()
      .describe('Lists above that may be incomplete.'),
  })
  .meta({
    id: 'UsedCapabilities',
    description:
      'What a run used of its grant. An empty list means nothing was used; `null` means that it cannot be observed on this platform.',
  });
export type UsedCapabilities = z.output<typeof UsedCapabilities>;

/** The uses of one kind that an executor observed. */
export interface ObservedUses {
  /** The count of each item. */
  counts: ReadonlyMap<string, number>;
  /** Uses of other items, which were only counted. */
  more?: number;
  /** Whether every use of this kind is observed. */
  isAll: boolean;
}

/** All uses that an executor observed; `null` for what it cannot observe. */
export interface ObservedRun extends Record<ListedKind, ObservedUses> {
  state: Capabilities['state'] | null;
  memory: Capabilities['memory'] | null;
  functions: ReadonlyMap<string, number> | null;
}

/** Limits per kind and per item, so no run can make its record large. */
export const usedBounds = Object.freeze({ itemsMax: 100, itemCharactersMax: 1024 });

/** A run that used nothing, with every kind observed. */
export const usedNothing: UsedCapabilities = Object.freeze({
  filesystem: { read: [], write: [] },
  network: [],
  env: [],
  secrets: [],
  exec: [],
  state: 'none',
  memory: 'none',
  functions: [],
  unlisted: [],
});

/** No use of a kind that is always observed. */
export const noneObserved: ObservedUses = Object.freeze({ counts: new Map(), isAll: true });

/** A kind whose uses cannot be observed. */
export const unobserved: ObservedUses = Object.freeze({ counts: new Map(), isAll: false });

/**
 * The used capabilities within `usedBounds`. A kind without a grant cannot have been used. `redact`
 * replaces secrets in an item.
 */
export function usedCapabilities(
  granted: Capabilities,
  seen: ObservedRun,
  redact: (text: string) => string = (text) => text,
): UsedCapabilities {
  const unlisted: { capability: ListedKind; uses: number | null }[] = [];
  const listed = (kind: ListedKind, names: readonly string[]): UsedItems => {
    const { counts, more: notCounted = 0, isAll } = seen[kind];
    const { items, more } = bounded(counts);
    const left = more + notCounted;
    const isWhole = isAll || names.every((name) => counts.has(name));
    if (!isWhole && items.length === 0) return null;
    if (!isWhole || left > 0) unlisted.push({ capability: kind, uses: isWhole ? left : null });
    return items.map(({ item, count }) => ({ item: redact(item), count }));
  };
  const { filesystem, env, exec, secrets } = granted;
  return {
    filesystem: {
      read: listed('filesystem.read', filesystem.read),
      write: listed('filesystem.write', filesystem.write),
    },
    // Rules can match hosts without naming them, but every connection is observed.
    network: listed('network', []),
    env: listed('env', env),
    secrets: listed(
      'secrets',
      secrets.map(({ name }) => name),
    ),
    exec: listed('exec', exec),
    state: granted.state === 'none' ? 'none' : seen.state,
    memory: granted.memory === 'none' ? 'none' : seen.memory,
    functions: seen.functions && bounded(seen.functions).items,
    unlisted,
  };
}

/** The first items, and the number of uses of the others. */
function bounded(counts: ReadonlyMap<string, number>): { items: UsedItem[]; more: number } {
  const items: UsedItem[] = [];
  let more = 0;
  for (const [item, count] of counts) {
    if (items.length < usedBounds.itemsMax && item.length <= usedBounds.itemCharactersMax)
      items.push({ item, count });
    else more += count;
  }
  return { items, more };
}
