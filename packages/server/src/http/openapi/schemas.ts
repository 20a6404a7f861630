import { z } from 'zod';

/** A part of the document. */
export type Json = Readonly<Record<string, unknown>>;

/** A schema of the document, with the fields that this module reads. */
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

/** Converts schemas to JSON Schema (2020-12) and collects named ones. */
export interface Schemas {
  /** The schema of a request; always inline. */
  ofRequest(schema: z.ZodType): Json;
  /** The schema of a response; named parts are references. */
  ofAnswer(schema: z.ZodType): Json;
  /** The named schemas that are referenced. */
  named(): Json;
}

/** Starts empty. Throws if two different schemas have one name. */
export function schemas(): Schemas {
  const named = new Map<string, Json>();
  // Many routes share a few schemas.
  const answered = new Map<z.ZodType, Json>();
  const add = (name: string, schema: Json): void => {
    const known = named.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two different schemas are named ${name}; give one of them another id`);
    named.set(name, schema);
  };
  return {
    ofRequest: (schema) => converted(schema, 'input').schema,
    ofAnswer(schema) {
      const known = answered.get(schema);
      if (known !== undefined) return known;
      const { schema: made, parts } = converted(schema, 'output');
      for (const [name, part] of Object.entries(parts)) add(name, part);
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
 * Removes what readers do not need: `readOnly` of arrays, safe-integer bounds, formats of Zod that
 * also have a pattern, and the textual form of a number or a boolean in a query.
 */
function plain(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.type === 'integer') delete schema.pattern;
  if (schema.type === 'boolean') {
    delete schema.enum;
    if (typeof schema.default === 'string') schema.default = schema.default === 'true';
  }
  delete schema.readOnly;
  if (schema.format === 'starts_with' || schema.format === 'base64') delete schema.format;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}
