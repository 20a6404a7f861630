import { SkillError } from '@ambit/core';
import { type JsonSchema, type JsonSchemaChecker, JsonText, type SchemaIssue } from '@ambit/core/json';
import { notFiniteAt } from '../json/not-finite.ts';
import { checkingThread } from './checking-thread.ts';
import type { CompiledSchemas } from './compiled-schemas.ts';
import { measure } from './measure.ts';
import { plainSchemas } from './plain-schema.ts';
import { UnusableSchemaError } from './unusable-schema-error.ts';

export interface JsonSchemaCheckerOptions {
  /** The limit of processor time of one check. On a busy machine, a check may take longer. */
  timeoutMs?: number;
}

const depthMax = 512;
// A thread that runs out of memory ends the whole process, so inputs are bounded.
const nodesMax = { schema: 20_000, value: 250_000 };

/**
 * Checks values against untrusted schemas of JSON Schema 2020-12. Nothing is generated or fetched
 * from a schema. Checks that could take long run in a thread that is ended at the deadline.
 * `format` is an annotation, as in the specification, and refuses nothing.
 *
 * `check` returns at most 20 issues. Some values have exactly one issue, whatever the schema:
 * `maxDepth` for more than 512 levels, `maxValues` for more than 250,000 values, and `finite` for a
 * number that is not finite (JSON's `1e400`). It throws `SKILL_INVALID` for a schema that is
 * invalid, uses another dialect, refers outside itself, is too deep or too large, or takes longer
 * than `timeoutMs`.
 *
 * The thread does not keep the process alive. `close` ends it after pending checks.
 */
export function jsonSchemaChecker({ timeoutMs = 1000 }: JsonSchemaCheckerOptions = {}): JsonSchemaChecker & {
  close(): Promise<void>;
} {
  const thread = checkingThread(timeoutMs);
  const isPlain = plainSchemas();
  const checkInline = inlineChecks();
  const excessOfSchema = memoized((schema) => excessOf(schema, nodesMax.schema));
  return {
    async check(schema, value, signal) {
      const issue = value instanceof JsonText ? undefined : alwaysInvalid(value);
      if (issue !== undefined) return [issue];
      if (schema === true) return [];
      try {
        const schemaExcess = excessOfSchema(schema);
        if (schemaExcess !== undefined)
          throw new UnusableSchemaError(`is too large: it ${schemaExcess.message}`);
        return !(value instanceof JsonText) && isPlain(schema, value)
          ? await checkInline(schema, value)
          : await thread.check(schema, value, signal);
      } catch (error) {
        return refuse(error);
      }
    },
    close: () => thread.close(),
  };
}

function refuse(error: unknown): never {
  if (!(error instanceof UnusableSchemaError)) throw error;
  throw new SkillError('SKILL_INVALID', `the skill's JSON Schema ${error.message}`, { cause: error });
}

/**
 * The issue of a value that no schema can allow. A `JsonText` was already checked when it was
 * created.
 */
function alwaysInvalid(value: unknown): SchemaIssue | undefined {
  const excess = excessOf(value, nodesMax.value);
  if (excess !== undefined) return { at: '', ...excess };
  const at = notFiniteAt(value);
  return at === undefined ? undefined : { at, keyword: 'finite', message: 'must be a finite number' };
}

/** Caches compiled schemas. */
function inlineChecks(): JsonSchemaChecker['check'] {
  let loaded: Promise<CompiledSchemas> | undefined;
  return async (schema, value) => {
    // Imported on first use, because it loads slower than the rest of the package together.
    loaded ??= import('./compiled-schemas.ts').then((module) => module.compiledSchemas());
    const schemas = await loaded;
    const check = await (schemas.known(schema) ?? schemas.compile(schema, schema));
    return check(value);
  };
}

/** Computed once per schema, which never changes. */
function memoized<Result>(find: (schema: JsonSchema) => Result): (schema: JsonSchema) => Result {
  const known = new WeakMap<object, { found: Result }>();
  return (schema) => {
    if (typeof schema === 'boolean') return find(schema);
    const cached = known.get(schema) ?? { found: find(schema) };
    known.set(schema, cached);
    return cached.found;
  };
}

function excessOf(json: unknown, nodesCap: number): Pick<SchemaIssue, 'keyword' | 'message'> | undefined {
  const { nodes, depth } = measure(json, nodesCap);
  if (depth > depthMax)
    return { keyword: 'maxDepth', message: `must not be nested more than ${depthMax} levels deep` };
  if (nodes > nodesCap)
    return { keyword: 'maxValues', message: `must not have more than ${nodesCap} values` };
  return undefined;
}
