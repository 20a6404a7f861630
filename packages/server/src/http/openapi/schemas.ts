import { z } from 'zod';

/** A piece of the document. */
export type Json = Readonly<Record<string, unknown>>;

/** A schema of the document, as far as what is made here reads it again. */
export interface JsonSchemaFields {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  pattern?: string;
  properties?: Readonly<Record<string, JsonSchemaFields>>;
  required?: readonly string[];
  items?: JsonSchemaFields;
  contentSchema?: JsonSchemaFields;
  contentMediaType?: string;
  additionalProperties?: JsonSchemaFields | boolean;
  anyOf?: readonly JsonSchemaFields[];
  oneOf?: readonly JsonSchemaFields[];
  allOf?: readonly JsonSchemaFields[];
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/** Turns schemas into JSON Schema (2020-12), and keeps those that have a name of their own in one place. */
export interface Schemas {
  /** What a request may hold; always whole, and nothing of it is kept. */
  ofRequest(schema: z.ZodType): Json;
  /** What an answer holds; named parts of it are references. */
  ofAnswer(schema: z.ZodType): Json;
  /** Those that are referred to, by name. */
  named(): Json;
}

/** Begins with none. Throws when two schemas of one name are not the same. */
export function schemas(): Schemas {
  const named = new Map<string, Json>();
  // The same few stand in every route.
  const answered = new Map<z.ZodType, Json>();
  const keep = (name: string, schema: Json): void => {
    const known = named.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two schemas are called ${name}: give one of them another id`);
    named.set(name, schema);
  };
  return {
    ofRequest: (schema) => converted(schema, 'input').schema,
    ofAnswer(schema) {
      const known = answered.get(schema);
      if (known !== undefined) return known;
      const { schema: made, parts } = converted(schema, 'output');
      for (const [name, part] of Object.entries(parts)) keep(name, part);
      answered.set(schema, made);
      return made;
    },
    named: () => Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function converted(schema: z.ZodType, io: 'input' | 'output'): { schema: Json; parts: Record<string, Json> } {
  const {
    $schema: _,
    $defs = {},
    ...rest
  } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: ({ jsonSchema }) => plain(jsonSchema) });
  const text = JSON.stringify({ schema: rest, parts: $defs });
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/'));
}

/**
 * Removes what is of no use to readers: that an array is read-only here, that a number is a safe one, formats that are
 * Zod's own and have a pattern beside them, and the textual form of a number or a boolean in a query.
 */
function plain(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.type === 'integer') delete schema.pattern;
  if (schema.type === 'boolean') delete schema.enum;
  delete schema.readOnly;
  if (schema.format === 'starts_with' || schema.format === 'base64') delete schema.format;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}
