import type { JsonSchema } from '@ambit/core/json';
import { type Extent, measure } from './measure.ts';

const depthMax = 32;
/** The most visits to values in one check: a few milliseconds. */
const visitsMax = 4000;
/** Compiling a schema takes longer than a check: ten milliseconds, once, for this many values. */
const schemaNodesMax = 1000;

/**
 * Keywords that can cost more than visiting the value. They count anywhere in the schema, even as
 * the name of a property. So do all keywords that begin with `$`, which may be references, except
 * for these two.
 */
const costlyKeywords = new Set(['pattern', 'patternProperties', 'unevaluatedItems', 'unevaluatedProperties']);
const harmlessDollars = new Set(['$schema', '$comment']);

/**
 * Returns a function that reports whether checking a value against a schema is certain to be fast.
 * Its findings about a schema are cached.
 */
export function plainSchemas(): (schema: JsonSchema, value: unknown) => boolean {
  const known = new WeakMap<object, Extent & Kind>();
  return (schema, value) => {
    if (typeof schema === 'boolean') return true;
    const cached = known.get(schema) ?? { ...measure(schema, schemaNodesMax), ...kindOf(schema) };
    known.set(schema, cached);
    if (cached.isCostly || cached.depth > depthMax) return false;
    // Each schema visits each value once. Comparing elements visits all of them again for each
    // element.
    const visits = visitsMax / cached.nodes;
    const { nodes, depth } = measure(value, cached.compares ? Math.sqrt(visits) : visits);
    return depth <= depthMax && nodes < Number.POSITIVE_INFINITY;
  };
}

interface Kind {
  isCostly: boolean;
  /** Whether elements must be unique. */
  compares: boolean;
}

/** Pure and without recursion. */
function kindOf(schema: object): Kind {
  const remaining: object[] = [schema];
  let compares = false;
  for (let next = remaining.pop(); next !== undefined; next = remaining.pop()) {
    for (const [key, value] of Object.entries(next)) {
      if (costlyKeywords.has(key) || (key.startsWith('$') && !harmlessDollars.has(key)))
        return { isCostly: true, compares };
      if (key === 'uniqueItems') compares = true;
      if (typeof value === 'object' && value !== null) remaining.push(value);
    }
  }
  return { isCostly: false, compares };
}
