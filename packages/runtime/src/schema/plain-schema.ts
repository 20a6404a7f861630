import type { JsonSchema } from '@ambit/core/internal';
import { type Extent, measure } from './measure.ts';

const depthMax = 32;
/** A check looks at a value at most so often, so this bounds the time: some milliseconds. */
const visitsMax = 4000;
/** To compile a schema takes longer than to check against it: some ten milliseconds, once, for this many values in it. */
const schemaNodesMax = 1000;

/**
 * Keywords that can cost more than a look at the value, wherever they stand and even where they are only the name of a
 * property. Those that begin with `$` are costly too, as they can refer; but for these two.
 */
const costlyKeywords = new Set(['pattern', 'patternProperties', 'unevaluatedItems', 'unevaluatedProperties']);
const harmlessDollars = new Set(['$schema', '$comment']);

/**
 * Tells whether a check of this value against this schema is sure to be short. What it finds out about a schema it
 * remembers for as long as the schema lives.
 */
export function plainSchemas(): (schema: JsonSchema, value: unknown) => boolean {
  const known = new WeakMap<object, Extent & Kind>();
  return (schema, value) => {
    if (typeof schema === 'boolean') return true;
    const seen = known.get(schema) ?? { ...measure(schema, schemaNodesMax), ...kindOf(schema) };
    known.set(schema, seen);
    if (seen.isCostly || seen.depth > depthMax) return false;
    // Each schema visits each value once; to compare elements, it goes through all of them again each time.
    const visits = visitsMax / seen.nodes;
    const { nodes, depth } = measure(value, seen.compares ? Math.sqrt(visits) : visits);
    return depth <= depthMax && nodes < Number.POSITIVE_INFINITY;
  };
}

interface Kind {
  isCostly: boolean;
  /** Whether it wants elements to differ. */
  compares: boolean;
}

/** Pure, and without recursion. */
function kindOf(schema: object): Kind {
  const left: object[] = [schema];
  let compares = false;
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const [key, value] of Object.entries(next)) {
      if (costlyKeywords.has(key) || (key.startsWith('$') && !harmlessDollars.has(key)))
        return { isCostly: true, compares };
      if (key === 'uniqueItems') compares = true;
      if (typeof value === 'object' && value !== null) left.push(value);
    }
  }
  return { isCostly: false, compares };
}
