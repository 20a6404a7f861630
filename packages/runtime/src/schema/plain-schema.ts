import type { JsonSchema } from '@ambit/core';
import { type Extent, measure } from './measure.ts';

const depthMax = 32;
/** A check visits at most every value with every schema, so this bounds the time: some tens of milliseconds. */
const visitsMax = 20_000;

/**
 * Keywords that can cost more than a look at the value, wherever they stand and even where they are only the name of a
 * property. Those that begin with `$` are costly too, as they can refer; but for these two.
 */
const costlyKeywords = new Set([
  'pattern',
  'patternProperties',
  'uniqueItems',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const harmlessDollars = new Set(['$schema', '$comment']);

/**
 * Tells whether a check of this value against this schema is sure to be short. What it finds out about a schema it
 * remembers for as long as the schema lives.
 */
export function plainSchemas(): (schema: JsonSchema, value: unknown) => boolean {
  const known = new WeakMap<object, Extent | 'costly'>();
  return (schema, value) => {
    if (typeof schema === 'boolean') return true;
    const extent = known.get(schema) ?? (hasCostlyKeyword(schema) ? 'costly' : measure(schema, visitsMax));
    known.set(schema, extent);
    if (extent === 'costly' || extent.depth > depthMax) return false;
    const { nodes, depth } = measure(value, visitsMax / extent.nodes);
    return depth <= depthMax && nodes < Number.POSITIVE_INFINITY;
  };
}

/** Pure, and without recursion. */
function hasCostlyKeyword(schema: object): boolean {
  const left: object[] = [schema];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const [key, value] of Object.entries(next)) {
      if (costlyKeywords.has(key) || (key.startsWith('$') && !harmlessDollars.has(key))) return true;
      if (typeof value === 'object' && value !== null) left.push(value);
    }
  }
  return false;
}
