import { randomUUID } from 'node:crypto';
import { JsonText } from '@ambit/core/internal';
import type { MarkedJson } from './write-json.ts';

/** About, of what is no string. */
const valueBytes = 8;

/**
 * What a value comes to in bytes, about, without its texts, and whether it has any. Beyond `bytesMax` bytes the rest of it
 * is not looked at.
 */
export function weigh(value: unknown, bytesMax: number): { bytes: number; hasTexts: boolean } {
  const weight = { bytes: 0, hasTexts: false };
  const left = [value];
  while (left.length > 0 && weight.bytes <= bytesMax) {
    const next = left.pop();
    weight.bytes += typeof next === 'string' ? next.length : valueBytes;
    if (next instanceof JsonText) weight.hasTexts = true;
    else if (typeof next === 'object' && next !== null) {
      const inner = Object.values(next);
      weight.bytes += valueBytes * inner.length;
      if (weight.bytes <= bytesMax) for (const each of inner) left.push(each);
    }
  }
  return weight;
}

/** A value with its texts taken out, so that nobody has to build them to write it. */
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
