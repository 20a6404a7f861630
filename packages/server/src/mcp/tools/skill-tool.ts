import { modelDescription, modelSchema, payloadSchema, type Skill } from '@ambit/core';
import { type JsonSchema, JsonText, type Payload, type Run, tierMark } from '@ambit/core/internal';
import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { Args, Files } from '../../wire/call-input.ts';
import { tierMeta } from '../tier-meta.ts';
import { readArguments } from './read-arguments.ts';
import type { SkillCall } from './run-tool.ts';
import {
  hasReservedArgument,
  reservedArgument,
  takesWorkspace,
  WorkspaceArgument,
  workspaceArgumentSchema,
} from './workspace-argument.ts';

/** A skill that says itself how it is run. */
export type RunSkill = Skill & { sidecar: { run: Run } };

/** What a skill with protocol command takes. */
const CommandArguments = z.strictObject({
  args: Args.describe('The arguments of the command.'),
  stdin: z.string().optional(),
  files: Files.describe('Files to put into its working directory.'),
  workspace: WorkspaceArgument,
});

/** What a skill takes whose input is no object. */
const WrappedArguments = z.strictObject({ input: z.unknown(), workspace: WorkspaceArgument });

/** What is Ambit's among the arguments that are a skill's own input. */
const ReservedArguments = z.strictObject({ [reservedArgument]: WorkspaceArgument });

/** Whether a skill is a tool by itself; one that only has scripts is run with `run_skill_script`. */
export function isRunSkill(skill: Skill): skill is RunSkill {
  return skill.sidecar.run !== undefined;
}

/** Makes the tools of skills, each once for as long as its skill is the same. */
export function skillTools(): (skill: RunSkill) => Tool {
  const made = new WeakMap<RunSkill, Tool>();
  return (skill) => {
    const known = made.get(skill) ?? skillTool(skill);
    made.set(skill, known);
    return known;
  };
}

/**
 * A skill as a tool: its tier, its schemas where MCP can have them, and hints that follow from what it requests. What is
 * for reading in it is disarmed.
 */
export function skillTool(skill: RunSkill): Tool {
  const { id, tier } = skill;
  const run = forModels(skill.sidecar.run);
  const output = outputSchema(run);
  return {
    name: id,
    title: tierMark(tier) + id,
    description: modelDescription(skill),
    inputSchema: inputSchema(run),
    ...(output === undefined ? {} : { outputSchema: output }),
    annotations: annotations(run),
    _meta: tierMeta(skill),
  };
}

/** As much of a stranger's schemas as stands in every conversation, as JSON. */
const schemaCharactersMax = 8192;

/** Why the schemas of an untrusted skill are not put before a model; `undefined`: they can be. */
export function schemaFlaw({ protocol, input, output }: Run): string | undefined {
  if (protocol === 'command') return undefined;
  const schemas = [input, output].map(payloadSchema).filter((schema) => schema !== undefined);
  const characters = schemas.reduce<number>((sum, schema) => sum + JSON.stringify(schema).length, 0);
  if (characters > schemaCharactersMax)
    return `they have ${characters} characters, and at most ${schemaCharactersMax} are shown to models`;
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
 * A tool's arguments as the call of its skill. Throws `INPUT_INVALID`; whether they fit the skill's schema is not looked at
 * here.
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

/** Whether a skill's tool has an output schema, which its answers then have to fit. */
export function hasStructuredOutput({ sidecar: { run } }: RunSkill): boolean {
  return outputSchema(run) !== undefined;
}

/** What a run answered, as the tool's output schema has it. */
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

/** None where the skill promises nothing, and where its schema cannot be put into another one. */
function outputSchema({ protocol, output: payload }: Run): ObjectSchema | undefined {
  const output = payloadSchema(payload);
  if (protocol === 'command' || output === undefined) return undefined;
  if (isPlainObjectSchema(output)) return output;
  return isMovable(output) ? wrapped('output', output) : undefined;
}

function commandSchema(run: Run): ObjectSchema {
  // A skill without a workspace still takes the argument, and its call is refused with the reason.
  const schema = takesWorkspace(run) ? CommandArguments : CommandArguments.omit({ workspace: true });
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as ObjectSchema;
}

const refusedAtTheTop = ['$ref', 'oneOf', 'anyOf', 'allOf', 'enum', 'not'];

/** MCP takes objects at the top, and those who ask models for them nothing else beside. */
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

/** A reference points from the top of a schema, and would lead elsewhere below another one. */
function isMovable(schema: JsonSchema): boolean {
  return !/"\$(?:ref|dynamicRef|id|anchor|schema)":/.test(JSON.stringify(schema));
}

function annotations({
  capabilities: { filesystem, network, state },
}: Run): NonNullable<Tool['annotations']> {
  const changesNothing = filesystem.write.length === 0 && network.length === 0 && state !== 'write';
  return { readOnlyHint: changesNothing, openWorldHint: network.length > 0 };
}
