import type { JsonSchema } from '../json/json-schema.ts';
import { modelLine, modelText } from './model-text.ts';

/** A skill's schema in a form that is safe for a model. */
export interface ModelSchema {
  /**
   * Titles, descriptions and comments are lines for a model (`modelLine`); everything else is
   * unchanged.
   */
  schema: JsonSchema;
  /**
   * The reason why the schema of an untrusted skill must not be shown: disarming it would change what it
   * accepts. Absent: it may be shown.
   */
  flaw?: string;
}

/**
 * Deeper than hand-written schemas. Deeper levels are not checked, and the schema gets a `flaw`.
 */
const depthMax = 64;

/** Keywords whose text is only documentation. */
const prose = ['title', 'description', '$comment'];

/** Keywords whose value is data, whatever its keys are. */
const data = ['const', 'enum', 'default', 'examples'];

/** Keywords that map names to schemas. */
const named = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/** Prepares a skill's JSON Schema for the definition of a tool. */
export function modelSchema(schema: JsonSchema): ModelSchema {
  let flaw: string | undefined;

  const exact = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string' && modelText(value) !== value)
      flaw ??= 'it has hidden characters or reserved markup in a name or a constant';
    else if (typeof value === 'object' && value !== null) each(value, depth, exact);
    return value;
  };
  const names = (value: unknown, depth: number): unknown =>
    isRecord(value) ? each(value, depth, part) : part(value, depth);
  const part = (value: unknown, depth: number): unknown => {
    if (typeof value !== 'object' || value === null) return exact(value, depth);
    return each(value, depth, (inner, below, key) => {
      if (prose.includes(key) && typeof inner === 'string') return modelLine(inner);
      if (data.includes(key)) return exact(inner, below);
      return named.includes(key) ? names(inner, below) : part(inner, below);
    });
  };
  const each = (
    value: object,
    depth: number,
    read: (inner: unknown, depth: number, key: string) => unknown,
  ): unknown => {
    if (depth >= depthMax) {
      flaw ??= `it is nested deeper than ${depthMax} levels`;
      return value;
    }
    if (Array.isArray(value)) return value.map((inner) => read(inner, depth + 1, ''));
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [exact(key, depth), read(inner, depth + 1, key)]),
    );
  };

  const read = part(schema, 0) as JsonSchema;
  return flaw === undefined ? { schema: read } : { schema: read, flaw };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
