import { modelDescription, payloadSchema, type Skill } from '@ambit/core';
import { declaredRuns, otherScripts, type Run } from '@ambit/core/internal';
import { z } from 'zod';
import type { ModelTool } from './answer/tool.ts';
import { Args, Files, ScriptName } from './call-input.ts';
import { modelName } from './model-name.ts';
import {
  forModels,
  isPlainObjectSchema,
  type ObjectSchema,
  schemaFlaw,
  toolHints,
  wrapped,
} from './tool-schema.ts';

/**
 * Why a skill is not offered to models; `undefined`: it is. A model chooses a tool by its own description, so untrusted
 * skills are offered only on request.
 */
export function whyNotOffered(skill: Skill, { untrusted }: { untrusted: boolean }): string | undefined {
  if (skill.tier !== 'untrusted') return undefined;
  if (!untrusted) return 'it is untrusted; ask with untrusted=true to include it';
  const flaw = declaredRuns(skill)
    .map(({ run }) => schemaFlaw(run))
    .find((each) => each !== undefined);
  return flaw === undefined ? undefined : `models must not see its schemas: ${flaw}`;
}

/** An executable skill as a tool. One without a `run` of its own is called by its scripts. */
export function modelTool(skill: Skill): ModelTool {
  const { id, tier, digest, sidecar } = skill;
  const { inputSchema, takes } = argumentsOf(skill, sidecar.run);
  const { readOnlyHint = false, openWorldHint = true } =
    sidecar.run === undefined ? {} : toolHints(sidecar.run);
  return {
    ...{ name: modelName(id), skill: id, description: modelDescription(skill) },
    ...{ inputSchema, takes, readOnly: readOnlyHint, openWorld: openWorldHint, tier, digest },
  };
}

function argumentsOf(skill: Skill, run: Run | undefined): Pick<ModelTool, 'inputSchema' | 'takes'> {
  if (run === undefined) {
    const names = [...Object.keys(skill.sidecar.namedRuns), ...otherScripts(skill).map(({ path }) => path)];
    return { inputSchema: commandSchema(names), takes: 'command' };
  }
  if (run.protocol === 'command') return { inputSchema: commandSchema([]), takes: 'command' };
  const input = payloadSchema(forModels(run).input);
  if (isPlainObjectSchema(input)) return { inputSchema: input, takes: 'input' };
  return { inputSchema: wrapped('input', input ?? true), takes: 'wrapped' };
}

/** The arguments of a command, and with several scripts the one to run. */
function commandSchema(scripts: readonly string[]): ObjectSchema {
  const schema = z.strictObject({
    args: Args.describe('The arguments of the command.'),
    stdin: z.string().optional(),
    files: Files.describe('Files to put into its working directory.'),
    ...(scripts.length > 1 ? { script: ScriptName.unwrap().describe('The script to run.') } : {}),
  });
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  if (scripts.length < 2) return json as ObjectSchema;
  const properties = { ...json.properties, script: { type: 'string', enum: scripts } };
  return { ...json, properties, required: ['script'] } as ObjectSchema;
}
