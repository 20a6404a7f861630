import { isDeepStrictEqual } from 'node:util';
import type { StateTexts } from '@ambit/core/execute';
import { readOutput } from './read-output.ts';

/** A store as the JSON object that a program reads. */
export function stateJson(texts: StateTexts): Uint8Array {
  return new TextEncoder().encode(
    `{${[...texts].map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',\n')}}\n`,
  );
}

/** The changes to a store, or what is wrong with the text, to follow `the file`. */
export type ReadStateChanges = { changes: [key: string, text: string | null][] } | { problem: string };

/**
 * Compares the JSON object that a program left with the one it was given. Only values count: order
 * and white space make no difference. A key is removed if it is missing or its value is `null`.
 */
export function readStateChanges(before: Uint8Array, after: Uint8Array): ReadStateChanges {
  const read = readOutput(after);
  if ('problem' in read) return read;
  if (!isObject(read.value)) return { problem: `is ${kindOf(read.value)}, not an object` };
  const previous = new Map(Object.entries(JSON.parse(new TextDecoder().decode(before)) as object));
  const changes: [string, string | null][] = [];
  for (const [key, value] of Object.entries(read.value)) {
    if (value === null) continue;
    if (!isDeepStrictEqual(value, previous.get(key))) changes.push([key, JSON.stringify(value)]);
    previous.delete(key);
  }
  for (const key of previous.keys()) changes.push([key, null]);
  return { changes };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
