import { randomUUID } from 'node:crypto';
import { JsonText } from '@ambit/core/json';
import type { MarkedJson } from './write-json.ts';

/** Estimated bytes of a value other than a string. */
const valueBytes = 8;

/**
 * The estimated size of a value in bytes, without its texts, and whether it has any. Stops counting
 * above `bytesMax`.
 */
export function weigh(value: unknown, bytesMax: number): { bytes: number; hasTexts: boolean } {
  const weight = { bytes: 0, hasTexts: false };
  const remaining = [value];
  while (remaining.length > 0 && weight.bytes <= bytesMax) {
    const next = remaining.pop();
    weight.bytes += typeof next === 'string' ? next.length : valueBytes;
    if (next instanceof JsonText) weight.hasTexts = true;
    else if (typeof next === 'object' && next !== null) {
      const inner = Object.values(next);
      weight.bytes += valueBytes * inner.length;
      if (weight.bytes <= bytesMax) for (const each of inner) remaining.push(each);
    }
  }
  return weight;
}

/** A value with placeholders for its texts, so they need not be parsed to write it. */
export function markTexts(value: unknown): MarkedJson {
  const mark = randomUUID();
  const texts: Uint8Array[] = [];
  const marked = (inner: unknown): unknown => {
    if (inner instanceof JsonText) {
      texts.push(inner.bytes);
      return mark;
    }
    if (typeof inner !== 'object' || inner === null) return inner;
    if (Array.isArray(inner)) return inner.map(marked);
    return Object.fromEntries(Object.entries(inner).map(([key, each]) => [key, marked(each)]));
  };
  return { value: marked(value), mark, texts };
}
