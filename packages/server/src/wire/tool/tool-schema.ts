import { Args, Files, StdinBytes } from '@ambit/api';
import { modelSchema, payloadSchema, type Skill } from '@ambit/core';
import type { JsonSchema } from '@ambit/core/json';
import { declaredRuns, type Payload, type Run } from '@ambit/core/skill';
import { z } from 'zod';

/** The schema of a tool's arguments: MCP and model providers require an object at the top level. */
export const ObjectSchema = z.looseObject({
  type: z.literal('object'),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
});
export type ObjectSchema = z.output<typeof ObjectSchema>;

/** The arguments of a skill with protocol `command`. */
export const CommandArguments = z.strictObject({
  args: Args.describe('The arguments of the command.'),
  stdin: z.string().optional(),
  stdinBase64: StdinBytes.describe('Instead of stdin: any bytes.'),
  files: Files.describe('Files to put into its working directory.'),
});

/** The schema of a tool's arguments. The dialect is implied, and models pay for every character. */
export function argumentsSchema(given: z.ZodType): ObjectSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(given, { io: 'input', unrepresentable: 'any' });
  return schema as ObjectSchema;
}

/**
 * The size limit of untrusted schemas in JSON, because models pay for them in every conversation.
 */
const schemaCharactersMax = 8192;

/** Returns why models must not see the schemas of an untrusted skill; `undefined`: they may, or it is trusted. */
export function schemaFlaw(skill: Pick<Skill, 'sidecar' | 'tier'>): string | undefined {
  if (skill.tier !== 'untrusted') return undefined;
  return declaredRuns(skill)
    .map(({ run }) => runFlaw(run))
    .find((flaw) => flaw !== undefined);
}

function runFlaw({ protocol, input, output }: Run): string | undefined {
  if (protocol === 'command') return undefined;
  const schemas = [input, output].map(payloadSchema).filter((schema) => schema !== undefined);
  const characters = schemas.reduce<number>((sum, schema) => sum + JSON.stringify(schema).length, 0);
  if (characters > schemaCharactersMax)
    return `they have ${characters} characters, and models are shown at most ${schemaCharactersMax}`;
  return schemas.map((schema) => modelSchema(schema).flaw).find((flaw) => flaw !== undefined);
}

/** The schema of an input or output in a form that is safe for a model to read. */
export function shownSchema(payload: Payload | undefined): JsonSchema | undefined {
  const schema = payloadSchema(payload);
  return schema && modelSchema(schema).schema;
}

const refusedAtTheTop = ['$ref', 'oneOf', 'anyOf', 'allOf', 'enum', 'not'];

/**
 * Whether a schema can be the schema of a tool's arguments or result. Some model providers refuse other keywords at the
 * top level. MCP clients refuse a whole list for one schema with other types there, such as `properties: null`.
 */
export function isPlainObjectSchema(schema: JsonSchema | undefined): schema is ObjectSchema {
  if (typeof schema !== 'object') return false;
  return ObjectSchema.safeParse(schema).success && !refusedAtTheTop.some((key) => key in schema);
}

/** The schema of an object whose only field, `name`, fits another schema. */
export function wrapSchema(name: string, schema: JsonSchema): ObjectSchema {
  const inner = isMovable(schema)
    ? schema
    : { description: `JSON that fits this schema: ${JSON.stringify(schema)}` };
  return { type: 'object', properties: { [name]: inner }, required: [name], additionalProperties: false };
}

/** References are relative to the top of a schema, so they break when it is nested. */
export function isMovable(schema: JsonSchema): boolean {
  return !/"\$(?:ref|dynamicRef|id|anchor|schema)":/.test(JSON.stringify(schema));
}
