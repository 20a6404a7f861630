import { z } from 'zod';

/** An entry of a caller's memory: a text, alone or with other fields. */
const MemoryEntry = z.union([z.string(), z.looseObject({ text: z.string() })]);
type MemoryEntry = z.output<typeof MemoryEntry>;

/** Limits the search, which blocks other calls. */
const memoryEntriesMax = 1000;
const memoryCharactersMax = 262_144;
const queryWordsMax = 32;

/**
 * The context that a caller gives its call. `memory` is for skills that are granted `memory: read`; any WASM skill
 * can read the other fields.
 */
export const CallContext = z.looseObject({
  memory: z
    .array(MemoryEntry)
    .max(memoryEntriesMax, `a memory has at most ${memoryEntriesMax} entries`)
    .refine(
      (memory) => memory.reduce((sum, entry) => sum + textOf(entry).length, 0) <= memoryCharactersMax,
      `a memory has at most ${memoryCharactersMax} characters`,
    )
    .optional(),
});
export type CallContext = z.output<typeof CallContext>;

const recalledMax = 20;

/**
 * The entries of a memory that contain words of a query, ignoring case: most words first, then in the
 * caller's order, at most 20. Only the first 32 distinct words count. A query without words matches every
 * entry.
 */
export function recall({ memory = [] }: CallContext, query: string): MemoryEntry[] {
  const words = [...new Set(wordsOf(query))].slice(0, queryWordsMax);
  const scored = memory.map((entry) => {
    const text = textOf(entry).toLowerCase();
    return { entry, score: words.filter((word) => text.includes(word)).length };
  });
  return scored
    .filter(({ score }) => score > 0 || words.length === 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, recalledMax)
    .map(({ entry }) => entry);
}

/** The texts of a memory in the caller's order, without other fields. */
export function memoryTexts({ memory = [] }: CallContext): string[] {
  return memory.map(textOf);
}

function textOf(entry: MemoryEntry): string {
  return typeof entry === 'string' ? entry : entry.text;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
