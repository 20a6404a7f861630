import { payloadSchema, type Skill } from '@ambit/core';
import { defined, JsonText } from '@ambit/core/json';
import { tierMark } from '@ambit/core/prompt';
import type { Run } from '@ambit/core/skill';
import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { givenInput } from '../../wire/given-input.ts';
import { type SkillTool, toolOfRun } from '../../wire/tool/skill-tool.ts';
import {
  argumentsSchema,
  CommandArguments,
  isMovable,
  isPlainObjectSchema,
  type ObjectSchema,
  shownSchema,
  wrapSchema,
} from '../../wire/tool/tool-schema.ts';
import { tierMeta } from '../request/seen-skills.ts';
import { readArguments } from '../tool/read-arguments.ts';
import type { SkillCall } from './run-tool.ts';
import { reservedArgument, WorkspaceArgument, workspaceArgumentOf } from './workspace-argument.ts';

/** A skill with a `run`. */
export type RunSkill = Skill & { sidecar: { run: Run } };

/** The tool of a skill over MCP. */
interface McpTool {
  definition: Tool;
  /**
   * Parses arguments into a call of the skill. Throws `INPUT_INVALID`. The skill's own schema is
   * checked later.
   */
  read(given: Record<string, unknown>): SkillCall;
  /** An output as the output schema requires, which its results must match; absent: there is none. */
  structured: ((output: unknown) => Record<string, unknown>) | undefined;
}

/** Returns a skill's tool, which callers cache by the skill. */
export type ToolOf = (skill: RunSkill) => McpTool;

/** The arguments of a command. A skill without a workspace accepts one too; its call is then refused with the reason. */
const CommandInWorkspace = CommandArguments.extend({ workspace: WorkspaceArgument });

/** The arguments of a skill whose input is wrapped. */
const WrappedArguments = z.strictObject({ input: z.unknown(), workspace: WorkspaceArgument });

/** Ambit's own argument of a skill whose input is an object. */
const ReservedArguments = z.strictObject({ [reservedArgument]: WorkspaceArgument });

/**
 * Whether a skill itself is a tool. A skill that only has scripts is run with `run_skill_script`.
 */
export function isRunSkill(skill: Skill): skill is RunSkill {
  return skill.sidecar.run !== undefined;
}

/** A skill's tool with what only MCP has: a title, an output schema, and an argument for a workspace. */
export function mcpTool(skill: RunSkill): McpTool {
  const { run } = skill.sidecar;
  const tool = toolOfRun({ ...skill, run, requestedBy: 'sidecar' });
  const { name, description, inputSchema, readOnly, openWorld } = tool;
  const workspace = workspaceArgumentOf(tool, run);
  const output = outputSchema(run);
  return {
    definition: defined<Tool>({
      name,
      title: tierMark(skill.tier) + skill.id,
      description,
      inputSchema: withWorkspace(inputSchema, workspace) as Tool['inputSchema'],
      outputSchema: output as Tool['outputSchema'],
      annotations: { readOnlyHint: readOnly, openWorldHint: openWorld },
      _meta: tierMeta(skill),
    }),
    read: (given) => readCall(tool, workspace, given),
    structured: output && ((value) => structuredOutput(run, value)),
  };
}

function withWorkspace(schema: ObjectSchema, argument: string | undefined): ObjectSchema {
  if (argument === undefined) return schema;
  const { properties } = argumentsSchema(z.object({ [argument]: WorkspaceArgument }));
  return { ...schema, properties: { ...schema.properties, ...properties } };
}

function readCall(
  { skill, takes }: SkillTool,
  workspaceArgument: string | undefined,
  given: Record<string, unknown>,
): SkillCall {
  if (takes === 'command') {
    const { workspace, stdin, stdinBase64, ...input } = readArguments(skill, CommandInWorkspace, given);
    const decoded = givenInput({ stdin, stdinBase64, files: input.files });
    return { input: { ...input, ...decoded }, workspace };
  }
  if (takes === 'wrapped') {
    const { input, workspace } = readArguments(skill, WrappedArguments, given);
    return { input: { input }, workspace };
  }
  if (workspaceArgument === undefined) return { input: { input: given } };
  const { [reservedArgument]: reserved, ...input } = given;
  const { [reservedArgument]: workspace } = readArguments(skill, ReservedArguments, {
    [reservedArgument]: reserved,
  });
  return { input: { input }, workspace };
}

/** `undefined` if the skill has no output schema, or if it cannot be nested in another schema. */
function outputSchema({ protocol, output: payload }: Run): ObjectSchema | undefined {
  const output = shownSchema(payload);
  if (protocol === 'command' || output === undefined) return undefined;
  if (isPlainObjectSchema(output)) return output;
  return isMovable(output) ? wrapSchema('output', output) : undefined;
}

function structuredOutput(run: Run, output: unknown): Record<string, unknown> {
  const value = output instanceof JsonText ? output.value() : output;
  return isPlainObjectSchema(payloadSchema(run.output))
    ? (value as Record<string, unknown>)
    : { output: value };
}
