import type { JsonSchema } from '@ambit/core/internal';
import { compileSchema, type ValueCheck } from './compile-schema.ts';
import { measure } from './measure.ts';

/** Compiled schemas, each kept under a key for as long as it is one of those that were used last. */
export interface CompiledSchemas {
  /** `undefined` where there is none any more. */
  known(key: unknown): Promise<ValueCheck> | undefined;
  /** Rejects with `UnusableSchemaError`; then nothing is kept, nor where the schema is larger than all that may be. */
  compile(key: unknown, schema: JsonSchema): Promise<ValueCheck>;
}

/** Of all that are kept together: some hundred megabytes where schemas are made to be large. */
const nodesMax = 100_000;

/** To compile a schema takes a hundred times as long as to check a small value against it. */
export function compiledSchemas(): CompiledSchemas {
  /** In order of their last use. */
  const kept = new Map<unknown, { check: Promise<ValueCheck>; nodes: number }>();
  let total = 0;
  const forget = (key: unknown): void => {
    total -= kept.get(key)?.nodes ?? 0;
    kept.delete(key);
  };
  return {
    known(key) {
      const found = kept.get(key);
      if (found === undefined) return undefined;
      kept.delete(key);
      kept.set(key, found);
      return found.check;
    },
    compile(key, schema) {
      forget(key);
      const { nodes } = measure(schema, nodesMax);
      if (nodes > nodesMax) return compileSchema(schema);
      const made = { check: compileSchema(schema), nodes };
      kept.set(key, made);
      total += nodes;
      for (const oldest of kept.keys()) {
        if (total <= nodesMax) break;
        forget(oldest);
      }
      made.check.catch(() => {
        if (kept.get(key) === made) forget(key);
      });
      return made.check;
    },
  };
}
