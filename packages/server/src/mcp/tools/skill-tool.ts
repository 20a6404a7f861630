import { modelDescription, payloadSchema, type Skill } from '@ambit/core';
import { JsonText } from '@ambit/core/json';
import { tierMark } from '@ambit/core/prompt';
import type { Run } from '@ambit/core/skill';
import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { stdinOf } from '../../wire/call-input.ts';
import { modelName } from '../../wire/model-name.ts';
import {
  argumentsSchema,
  CommandArguments,
  forModels,
  isMovable,
  isPlainObjectSchema,
  type ObjectSchema,
  toolHints,
  wrapSchema,
} from '../../wire/tool-schema.ts';
import { tierMeta } from '../request/seen-skills.ts';
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

const CommandInWorkspace = CommandArguments.extend({ workspace: WorkspaceArgument });

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
function skillTool(skill: RunSkill): Tool {
  const { id, tier } = skill;
  const run = forModels(skill.sidecar.run);
  const output = outputSchema(run);
  return {
    name: modelName(id),
    title: tierMark(tier) + id,
    description: modelDescription(skill),
    inputSchema: inputSchema(run) as Tool['inputSchema'],
    ...(output === undefined ? {} : { outputSchema: output as Tool['inputSchema'] }),
    annotations: toolHints(run),
    _meta: tierMeta(skill),
  };
}

/**
 * Parses a tool's arguments into a call of its skill. Throws `INPUT_INVALID`. The skill's own
 * schema is checked later.
 */
export function skillCall({ id, sidecar: { run } }: RunSkill, given: Record<string, unknown>): SkillCall {
  if (run.protocol === 'command') {
    const { workspace, stdin, stdinBase64, ...input } = readArguments(id, CommandInWorkspace, given);
    return { input: { ...input, stdin: stdinOf({ stdin, stdinBase64 }) }, workspace };
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

function inputSchema(run: Run): ObjectSchema {
  if (run.protocol === 'command') return commandSchema(run);
  const input = payloadSchema(run.input);
  if (!isPlainObjectSchema(input))
    return wrapSchema(
      'input',
      input ?? true,
      takesWorkspace(run) ? { workspace: workspaceArgumentSchema() } : {},
    );
  if (!hasReservedArgument(run, input)) return input;
  const properties = { ...input.properties, [reservedArgument]: workspaceArgumentSchema() };
  return { ...input, properties };
}

/** `undefined` if the skill has no output schema, or if it cannot be nested in another schema. */
function outputSchema({ protocol, output: payload }: Run): ObjectSchema | undefined {
  const output = payloadSchema(payload);
  if (protocol === 'command' || output === undefined) return undefined;
  if (isPlainObjectSchema(output)) return output;
  return isMovable(output) ? wrapSchema('output', output) : undefined;
}

function commandSchema(run: Run): ObjectSchema {
  // A skill without a workspace accepts the argument too; its call is then refused with the reason.
  return argumentsSchema(takesWorkspace(run) ? CommandInWorkspace : CommandArguments);
}
