import { randomUUID } from 'node:crypto';
import type { JsonSchema, SchemaIssue } from '@ambit/core/internal';
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

// A schema refers to itself and to the specification's own; nothing is fetched for it.
for (const scheme of ['http', 'https', 'file']) removeUriSchemePlugin(scheme);
setMetaSchemaOutputFormat('BASIC');

/** Where the schemas are said to come from, so that relative references are ones to nowhere. */
const base = 'https://schema.invalid/';

/** What a compiled schema has against a value. */
export type ValueCheck = (value: unknown) => readonly SchemaIssue[];

/**
 * Makes a schema into what checks values against it, for as long as that takes: whoever cannot vouch for the schema calls
 * both in a thread that can be ended. Two at a time do not meet.
 *
 * Rejects with `UnusableSchemaError`, and the check throws it.
 */
export async function compileSchema(schema: JsonSchema): Promise<ValueCheck> {
  if (definesDialect(schema))
    throw new UnusableSchemaError('has a $vocabulary, which is for defining a dialect');
  // The library's register is the process's: no two may have one name in it.
  const uri = `${base}${randomUUID()}`;
  const unusable = (error: unknown): UnusableSchemaError =>
    new UnusableSchemaError(problemOf(error).replaceAll(uri, '').replaceAll(base, ''), { cause: error });
  const validator = await compiled(schema, uri).catch((error: unknown) => {
    throw unusable(error);
  });
  return (value) => {
    const collector = issueCollector();
    // The plugin's type wants a context of its own library's making; ours only adds to it.
    const plugins = [collector as IssueCollector & object];
    try {
      validator(value as Json, { outputFormat: 'FLAG', plugins });
    } catch (error) {
      throw unusable(error);
    }
    return collector.issues();
  };
}

/** What is compiled refers to nothing that is registered. */
async function compiled(schema: JsonSchema, uri: string): Promise<Validator> {
  registerSchema(schema as SchemaObject | boolean, uri, dialect);
  try {
    return await validate(uri);
  } finally {
    unregisterSchema(uri);
  }
}

/** The library takes a dialect from wherever an identified schema brings a vocabulary, and keeps it for everybody. */
function definesDialect(schema: JsonSchema): boolean {
  const left: unknown[] = [schema];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const { $id, $vocabulary } = next as Record<string, unknown>;
    if (typeof $vocabulary === 'object' && (typeof $id === 'string' || next === schema)) return true;
    left.push(...Object.values(next));
  }
  return false;
}

function problemOf(error: unknown): string {
  if (error instanceof InvalidSchemaError) return `is not one of ${dialect}: ${placesOf(error)}`;
  if (error instanceof RangeError) return 'refers to itself without end, or goes too deep';
  if (error instanceof RetrievalError) {
    const [, reference = ''] = /'(.*?)'/.exec(error.message) ?? [];
    return `refers to ${reference}, which is not in it, and nothing is fetched`;
  }
  // Not core's words for it: the thread that checks loads nothing of core.
  return `cannot be used: ${error instanceof Error ? error.message : String(error)}`;
}

function placesOf({ output }: InvalidSchemaError): string {
  const places = (output.errors ?? []).map(({ instanceLocation }: OutputUnit) =>
    decodeURI(instanceLocation.split('#')[1] ?? ''),
  );
  // Of a place and what lies in it, what lies in it says more.
  const deepest = places.filter((place) => !places.some((other) => other.startsWith(`${place}/`)));
  return `see ${[...new Set(deepest)]
    .slice(0, 5)
    .map((place) => place || 'its top')
    .join(', ')}`;
}
