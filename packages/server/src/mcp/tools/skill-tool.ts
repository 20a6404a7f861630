import { modelDescription, modelSchema, payloadSchema, type Skill } from '@ambit/core';
import { type JsonSchema, JsonText, type Payload, type Run, tierMark } from '@ambit/core/internal';
import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { Args, Files } from '../../wire/call-input.ts';
import { tierMeta } from '../request/seen-skills.ts';
import { modelName } from '../tool/model-name.ts';
import { readArguments } from '../tool/read-arguments.ts';
import type { SkillCall } from './run-tool.ts';
import {
  hasReservedArgument,
  reservedArgument,
  takesWorkspace,
  WorkspaceArgument,
  workspaceArgumentSchema,
} from './workspace-argument.ts';

/** A skill with a `run`. */
export type RunSkill = Skill & { sidecar: { run: Run } };

/** The arguments of a skill with protocol `command`. */
const CommandArguments = z.strictObject({
  args: Args.describe('The arguments of the command.'),
  stdin: z.string().optional(),
  files: Files.describe('Files to put into its working directory.'),
  workspace: WorkspaceArgument,
});

/** The arguments of a skill whose input is not an object. */
const WrappedArguments = z.strictObject({ input: z.unknown(), workspace: WorkspaceArgument });

/** Ambit's own argument of a skill whose input is an object. */
const ReservedArguments = z.strictObject({ [reservedArgument]: WorkspaceArgument });

/**
 * Whether a skill itself is a tool. A skill that only has scripts is run with `run_skill_script`.
 */
export function isRunSkill(skill: Skill): skill is RunSkill {
  return skill.sidecar.run !== undefined;
}

/** Creates the tools of skills, cached per skill object. */
export function skillTools(): (skill: RunSkill) => Tool {
  const made = new WeakMap<RunSkill, Tool>();
  return (skill) => {
    const known = made.get(skill) ?? skillTool(skill);
    made.set(skill, known);
    return known;
  };
}

/**
 * A skill as a tool: its tier, its schemas as far as MCP supports them, and hints from its
 * requested capabilities. Text for reading is escaped.
 */
export function skillTool(skill: RunSkill): Tool {
  const { id, tier } = skill;
  const run = forModels(skill.sidecar.run);
  const output = outputSchema(run);
  return {
    name: modelName(id),
    title: tierMark(tier) + id,
    description: modelDescription(skill),
    inputSchema: inputSchema(run),
    ...(output === undefined ? {} : { outputSchema: output }),
    annotations: annotations(run),
    _meta: tierMeta(skill),
  };
}

/**
 * The size limit of untrusted schemas in JSON, because models pay for them in every conversation.
 */
const schemaCharactersMax = 8192;

/** Why models must not see the schemas of an untrusted skill; `undefined`: they may. */
export function schemaFlaw({ protocol, input, output }: Run): string | undefined {
  if (protocol === 'command') return undefined;
  const schemas = [input, output].map(payloadSchema).filter((schema) => schema !== undefined);
  const characters = schemas.reduce<number>((sum, schema) => sum + JSON.stringify(schema).length, 0);
  if (characters > schemaCharactersMax)
    return `they have ${characters} characters, and models are shown at most ${schemaCharactersMax}`;
  return schemas.map((schema) => modelSchema(schema).flaw).find((flaw) => flaw !== undefined);
}

function forModels(run: Run): Run {
  const read = (payload: Payload | undefined) => {
    const schema = payloadSchema(payload);
    return schema && modelSchema(schema).schema;
  };
  return { ...run, input: read(run.input), output: read(run.output) };
}

/**
 * Parses a tool's arguments into a call of its skill. Throws `INPUT_INVALID`. The skill's own
 * schema is checked later.
 */
export function skillCall({ id, sidecar: { run } }: RunSkill, given: Record<string, unknown>): SkillCall {
  if (run.protocol === 'command') {
    const { workspace, ...input } = readArguments(id, CommandArguments, given);
    return { input, workspace };
  }
  const schema = payloadSchema(run.input);
  if (!isPlainObjectSchema(schema)) {
    const { input, workspace } = readArguments(id, WrappedArguments, given);
    return { input: { input }, workspace };
  }
  if (!hasReservedArgument(run, schema)) return { input: { input: given } };
  const { [reservedArgument]: reserved, ...input } = given;
  const { [reservedArgument]: workspace } = readArguments(id, ReservedArguments, {
    [reservedArgument]: reserved,
  });
  return { input: { input }, workspace };
}

/** Whether a skill's tool has an output schema, which its results must match. */
export function hasStructuredOutput({ sidecar: { run } }: RunSkill): boolean {
  return outputSchema(run) !== undefined;
}

/** The output of a run, wrapped as the tool's output schema requires. */
export function structuredOutput({ sidecar: { run } }: RunSkill, output: unknown): Record<string, unknown> {
  const value = output instanceof JsonText ? output.value() : output;
  return isPlainObjectSchema(payloadSchema(run.output))
    ? (value as Record<string, unknown>)
    : { output: value };
}

type ObjectSchema = Tool['inputSchema'];

function inputSchema(run: Run): ObjectSchema {
  if (run.protocol === 'command') return commandSchema(run);
  const input = payloadSchema(run.input);
  if (!isPlainObjectSchema(input))
    return wrapped(
      'input',
      input ?? true,
      takesWorkspace(run) ? { workspace: workspaceArgumentSchema() } : {},
    );
  if (!hasReservedArgument(run, input)) return input;
  const properties = { ...input.properties, [reservedArgument]: workspaceArgumentSchema() };
  return { ...input, properties: properties as NonNullable<ObjectSchema['properties']> };
}

/** `undefined` if the skill has no output schema, or if it cannot be nested in another schema. */
function outputSchema({ protocol, output: payload }: Run): ObjectSchema | undefined {
  const output = payloadSchema(payload);
  if (protocol === 'command' || output === undefined) return undefined;
  if (isPlainObjectSchema(output)) return output;
  return isMovable(output) ? wrapped('output', output) : undefined;
}

function commandSchema(run: Run): ObjectSchema {
  // A skill without a workspace accepts the argument too; its call is then refused with the reason.
  const schema = takesWorkspace(run) ? CommandArguments : CommandArguments.omit({ workspace: true });
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as ObjectSchema;
}

const refusedAtTheTop = ['$ref', 'oneOf', 'anyOf', 'allOf', 'enum', 'not'];

/**
 * MCP requires an object at the top level, and some model providers allow no other keywords there.
 */
function isPlainObjectSchema(schema: JsonSchema | undefined): schema is ObjectSchema {
  if (typeof schema !== 'object') return false;
  return schema['type'] === 'object' && !refusedAtTheTop.some((key) => key in schema);
}

function wrapped(name: string, schema: JsonSchema, beside: object = {}): ObjectSchema {
  const inner = isMovable(schema)
    ? schema
    : { description: `JSON that fits this schema: ${JSON.stringify(schema)}` };
  const properties = { [name]: inner, ...beside } as NonNullable<ObjectSchema['properties']>;
  return { type: 'object', properties, required: [name], additionalProperties: false };
}

/** References are relative to the top of a schema, so they break when it is nested. */
function isMovable(schema: JsonSchema): boolean {
  return !/"\$(?:ref|dynamicRef|id|anchor|schema)":/.test(JSON.stringify(schema));
}

function annotations({
  capabilities: { filesystem, network, state },
}: Run): NonNullable<Tool['annotations']> {
  const changesNothing = filesystem.write.length === 0 && network.length === 0 && state !== 'write';
  return { readOnlyHint: changesNothing, openWorldHint: network.length > 0 };
}
