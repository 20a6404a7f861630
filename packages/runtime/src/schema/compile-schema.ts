import { randomUUID } from 'node:crypto';
import type { JsonSchema, SchemaIssue } from '@ambit/core/json';
import { RetrievalError, removeUriSchemePlugin } from '@hyperjump/browser';
import {
  InvalidSchemaError,
  type OutputUnit,
  registerSchema,
  type SchemaObject,
  setMetaSchemaOutputFormat,
  unregisterSchema,
  type Validator,
  validate,
} from '@hyperjump/json-schema/draft-2020-12';
import { type IssueCollector, issueCollector } from './issue-collector.ts';
import { UnusableSchemaError } from './unusable-schema-error.ts';

type Json = Parameters<Validator>[0];

const dialect = 'https://json-schema.org/draft/2020-12/schema';

// A schema may refer to itself and to the specification's schemas; nothing is fetched.
for (const scheme of ['http', 'https', 'file']) removeUriSchemePlugin(scheme);
setMetaSchemaOutputFormat('BASIC');

/** The base URI of schemas; relative references lead nowhere. */
const base = 'https://schema.invalid/';

/** Returns the issues of a value. */
export type ValueCheck = (value: unknown) => readonly SchemaIssue[];

/**
 * Compiles a schema into a function that checks values. Both steps may take unlimited time, so
 * untrusted schemas belong in a thread that can be ended. Concurrent compilations are independent.
 *
 * Rejects with `UnusableSchemaError`, and the check throws it.
 */
export async function compileSchema(schema: JsonSchema): Promise<ValueCheck> {
  if (definesDialect(schema))
    throw new UnusableSchemaError('has a $vocabulary, which only a dialect definition may have');
  // The library's registry is global, so every schema needs a unique name.
  const uri = `${base}${randomUUID()}`;
  const unusable = (error: unknown): UnusableSchemaError =>
    new UnusableSchemaError(problemOf(error).replaceAll(uri, '').replaceAll(base, ''), { cause: error });
  const validator = await compileOnly(schema, uri).catch((error: unknown) => {
    throw unusable(error);
  });
  return (value) => {
    const collector = issueCollector();
    // The plugin's type requires a context from its own library; this one only adds to it.
    const plugins = [collector as IssueCollector & object];
    try {
      validator(value as Json, { outputFormat: 'FLAG', plugins });
    } catch (error) {
      throw unusable(error);
    }
    return collector.issues();
  };
}

/** A compiled schema no longer needs its registration. */
async function compileOnly(schema: JsonSchema, uri: string): Promise<Validator> {
  registerSchema(schema as SchemaObject | boolean, uri, dialect);
  try {
    return await validate(uri);
  } finally {
    unregisterSchema(uri);
  }
}

/**
 * The library registers a dialect for any identified schema with a vocabulary, and for the whole
 * process.
 */
function definesDialect(schema: JsonSchema): boolean {
  const remaining: unknown[] = [schema];
  for (let next = remaining.pop(); next !== undefined; next = remaining.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const { $id, $vocabulary } = next as Record<string, unknown>;
    if (typeof $vocabulary === 'object' && (typeof $id === 'string' || next === schema)) return true;
    remaining.push(...Object.values(next));
  }
  return false;
}

function problemOf(error: unknown): string {
  if (error instanceof InvalidSchemaError) return `is not valid under ${dialect}: ${placesOf(error)}`;
  if (error instanceof RangeError) return 'refers to itself without end or is nested too deeply';
  if (error instanceof RetrievalError) {
    const [, reference = ''] = /'(.*?)'/.exec(error.message) ?? [];
    return `refers to ${reference}, which is not in the schema, and nothing is fetched`;
  }
  // Does not use a helper from core: the checking thread imports nothing from core.
  return `cannot be used: ${error instanceof Error ? error.message : String(error)}`;
}

function placesOf({ output }: InvalidSchemaError): string {
  const places = (output.errors ?? []).map(({ instanceLocation }: OutputUnit) =>
    decodeURI(instanceLocation.split('#')[1] ?? ''),
  );
  // A nested place says more than the places that contain it.
  const deepest = places.filter((place) => !places.some((other) => other.startsWith(`${place}/`)));
  return `see ${[...new Set(deepest)]
    .slice(0, 5)
    .map((place) => place || 'the top level')
    .join(', ')}`;
}
