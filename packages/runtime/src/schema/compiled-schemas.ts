import type { JsonSchema } from '@ambit/core/json';
import { compileSchema, type ValueCheck } from './compile-schema.ts';
import { measure } from './measure.ts';

/** A cache of compiled schemas. The least recently used are dropped. */
export interface CompiledSchemas {
  /** `undefined` if it is not cached. */
  known(key: unknown): Promise<ValueCheck> | undefined;
  /**
   * Rejects with `UnusableSchemaError`. Such a schema is not cached, nor is one larger than the
   * whole cache.
   */
  compile(key: unknown, schema: JsonSchema): Promise<ValueCheck>;
}

/** Total values of all cached schemas: a few hundred megabytes for schemas built to be large. */
const nodesMax = 100_000;

/** Compiling a schema takes a hundred times as long as checking a small value. */
export function compiledSchemas(): CompiledSchemas {
  /** In order of last use. */
  const cached = new Map<unknown, { check: Promise<ValueCheck>; nodes: number }>();
  let total = 0;
  const forget = (key: unknown): void => {
    total -= cached.get(key)?.nodes ?? 0;
    cached.delete(key);
  };
  return {
    known(key) {
      const found = cached.get(key);
      if (found === undefined) return undefined;
      cached.delete(key);
      cached.set(key, found);
      return found.check;
    },
    compile(key, schema) {
      forget(key);
      const { nodes } = measure(schema, nodesMax);
      if (nodes > nodesMax) return compileSchema(schema);
      const compiling = compileSchema(schema);
      const entry = { check: compiling, nodes };
      cached.set(key, entry);
      total += nodes;
      for (const oldest of cached.keys()) {
        if (total <= nodesMax) break;
        forget(oldest);
      }
      compiling.catch(() => {
        if (cached.get(key) === entry) forget(key);
      });
      return compiling;
    },
  };
}
