import { SkillError } from '@ambit/core';
import { type JsonSchema, type JsonSchemaChecker, JsonText, type SchemaIssue } from '@ambit/core/internal';
import { notFiniteAt } from '../json/not-finite.ts';
import { checkingThread } from './checking-thread.ts';
import type { CompiledSchemas } from './compiled-schemas.ts';
import { measure } from './measure.ts';
import { plainSchemas } from './plain-schema.ts';
import { UnusableSchemaError } from './unusable-schema-error.ts';

export interface JsonSchemaCheckerOptions {
  /** How long one check may take, its turn counted and not the waiting for it. */
  timeoutMs?: number;
}

const depthMax = 512;
// Memory is no wall between threads: one that runs out of it takes the process along. So what goes in is bounded.
const nodesMax = { schema: 20_000, value: 250_000 };

/**
 * Checks values against schemas of JSON Schema 2020-12 that are somebody else's: nothing is generated or fetched from
 * them, and what could take long runs in a thread of its own that is ended at the deadline. `format` is an annotation,
 * as the specification has it, and refuses nothing.
 *
 * `check` gives at most 20 issues. A value that is nested more than 512 deep, or has more than 250 000 values in it, has
 * one, whatever the schema, with the keyword `maxDepth` or `maxValues`, and one with a number that is not finite (JSON's
 * `1e400`) has one with `finite`. It throws `SKILL_INVALID` for a schema that is not
 * one, is of another dialect, refers to what is not in it, is itself too deep or too large, or takes longer than
 * `timeoutMs`.
 *
 * The thread does not keep the process alive; `close` ends it after the checks that were asked for.
 */
export function jsonSchemaChecker({ timeoutMs = 1000 }: JsonSchemaCheckerOptions = {}): JsonSchemaChecker & {
  close(): Promise<void>;
} {
  const thread = checkingThread(timeoutMs);
  const isPlain = plainSchemas();
  const checkHere = checksHere();
  const excessOfSchema = remembered((schema) => excessOf(schema, nodesMax.schema));
  return {
    async check(schema, value, signal) {
      const issue = value instanceof JsonText ? undefined : wrongWithAny(value);
      if (issue !== undefined) return [issue];
      if (schema === true) return [];
      try {
        const schemaExcess = excessOfSchema(schema);
        if (schemaExcess !== undefined)
          throw new UnusableSchemaError(`is too large: it ${schemaExcess.message}`);
        return await (!(value instanceof JsonText) && isPlain(schema, value)
          ? checkHere(schema, value)
          : thread.check(schema, value, signal));
      } catch (error) {
        if (!(error instanceof UnusableSchemaError)) throw error;
        throw new SkillError('SKILL_INVALID', `the skill's JSON Schema ${error.message}`, { cause: error });
      }
    },
    close: () => thread.close(),
  };
}

/** What no value may have, whatever the schema. What is a `JsonText` was looked at when it was made. */
function wrongWithAny(value: unknown): SchemaIssue | undefined {
  const excess = excessOf(value, nodesMax.value);
  if (excess !== undefined) return { at: '', ...excess };
  const at = notFiniteAt(value);
  return at === undefined ? undefined : { at, keyword: 'finite', message: 'must be a finite number' };
}

/** Keeps what it has compiled. */
function checksHere(): JsonSchemaChecker['check'] {
  let loaded: Promise<CompiledSchemas> | undefined;
  return async (schema, value) => {
    // Loaded when first needed: it takes longer than the rest of the package together.
    loaded ??= import('./compiled-schemas.ts').then((room) => room.compiledSchemas());
    const schemas = await loaded;
    return (await (schemas.known(schema) ?? schemas.compile(schema, schema)))(value);
  };
}

/** Found out once for each schema: a skill's does not change as long as it lives. */
function remembered<Result>(find: (schema: JsonSchema) => Result): (schema: JsonSchema) => Result {
  const known = new WeakMap<object, { found: Result }>();
  return (schema) => {
    if (typeof schema === 'boolean') return find(schema);
    const seen = known.get(schema) ?? { found: find(schema) };
    known.set(schema, seen);
    return seen.found;
  };
}

function excessOf(json: unknown, most: number): Pick<SchemaIssue, 'keyword' | 'message'> | undefined {
  const { nodes, depth } = measure(json, most);
  if (depth > depthMax)
    return { keyword: 'maxDepth', message: `must not be nested more than ${depthMax} deep` };
  if (nodes > most) return { keyword: 'maxValues', message: `must not have more than ${most} values in it` };
  return undefined;
}
