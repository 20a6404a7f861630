import { z } from 'zod';

/** Something that a caller remembers: a text, alone or with whatever belongs to it. */
const MemoryEntry = z.union([z.string(), z.looseObject({ text: z.string() })]);
type MemoryEntry = z.output<typeof MemoryEntry>;

/** It is searched where other calls wait. */
const memoryEntriesMax = 1000;
const memoryCharactersMax = 262_144;
const queryWordsMax = 32;

/**
 * What a caller tells of where its call comes from: `memory` is for a skill that is granted `memory: read`,
 * and everything else, whatever it is, is shown to any WASM skill that asks for its context.
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
 * The entries of a memory that a query is about: those in which its words occur, whatever their case, the most words
 * first and among equals in the caller's order; at most 20. Of a query the first 32 different words count. A query without words is about everything.
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

/** The texts of a memory, in the caller's order, without whatever else belongs to an entry. */
export function memoryTexts({ memory = [] }: CallContext): string[] {
  return memory.map(textOf);
}

function textOf(entry: MemoryEntry): string {
  return typeof entry === 'string' ? entry : entry.text;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
