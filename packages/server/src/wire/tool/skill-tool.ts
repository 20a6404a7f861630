import type { ModelTool } from '@ambit/api';
import { modelDescription, modelLine, type Skill } from '@ambit/core';
import { asToolSkill, type ToolSkill } from '@ambit/core/execute';
import { callableScripts, isPlainScript, listedScripts, type Run } from '@ambit/core/skill';
import { z } from 'zod';
import { toolName } from './tool-name.ts';
import {
  argumentsSchema,
  CommandArguments,
  isPlainObjectSchema,
  type ObjectSchema,
  shownSchema,
  wrapSchema,
} from './tool-schema.ts';

/** A skill as a tool of a model, the same over HTTP and MCP. */
export interface SkillTool extends ModelTool {
  inputSchema: ObjectSchema;
}

type Arguments = Pick<SkillTool, 'inputSchema' | 'takes'>;

/**
 * A skill as a tool that runs without `script`, or whose arguments name a script. `undefined`: it has several runs, and
 * none that takes arguments.
 */
export function skillTool(skill: Skill): SkillTool | undefined {
  const tool = defaultTool(skill);
  if (tool !== undefined) return toolOfRun(tool);
  const choices = choicesOf(skill);
  const runs = choices.map((choice) => choice.tool.run);
  return choices.length === 0 ? undefined : toolOf(skill, runs, scriptArguments(choices));
}

/** One run of a skill as a tool. */
export function toolOfRun(tool: ToolSkill): SkillTool {
  return toolOf(tool, [tool.run], argumentsOf(tool));
}

/** The hints are from what the runs request. */
function toolOf(skill: Skill, runs: readonly Run[], { inputSchema, takes }: Arguments): SkillTool {
  const requests = runs.map(({ capabilities }) => capabilities);
  const openWorld = requests.some(({ network }) => network.length > 0);
  const writes = requests.some(({ filesystem, state }) => filesystem.write.length > 0 || state === 'write');
  return {
    name: toolName(skill.id),
    skill: skill.id,
    description: modelDescription(skill),
    inputSchema,
    takes,
    readOnly: !openWorld && !writes,
    openWorld,
    tier: skill.tier,
    digest: skill.digest,
  };
}

/** Returns the tool that runs without `script`; `undefined` if a call has to name one of several. */
function defaultTool(skill: Skill): ToolSkill | undefined {
  try {
    return asToolSkill(skill);
  } catch {
    return undefined;
  }
}

/** A model pays for each of them in every conversation. */
const choicesMax = 32;

interface Choice {
  name: string;
  tool: ToolSkill;
}

/** The programs that a model can choose among. Names with hidden characters or markup are left out. */
function choicesOf(skill: Skill): Choice[] {
  const callable = callableScripts(skill);
  // A skill of which nothing can run yet shows what it has: the refusal says what to do.
  const scripts = callable.length > 0 ? callable : listedScripts(skill);
  const names = [...Object.keys(skill.sidecar.namedRuns), ...scripts.map(({ path }) => path)];
  return names
    .filter((name) => modelLine(name) === name)
    .flatMap((name) => {
      const tool = asToolSkill(skill, name);
      return tool?.run.protocol === 'command' ? [{ name, tool }] : [];
    })
    .slice(0, choicesMax);
}

function argumentsOf(tool: ToolSkill): Arguments {
  const { run } = tool;
  if (run.protocol === 'command')
    return { inputSchema: isPlainScript(tool) ? plainSchema : commandSchema, takes: 'command' };
  const input = shownSchema(run.input);
  if (isPlainObjectSchema(input) && hasUsualNames(input)) return { inputSchema: input, takes: 'input' };
  return { inputSchema: wrapSchema('input', input ?? true), takes: 'wrapped' };
}

/** Anthropic refuses the whole request if a property of a tool has another name. */
function hasUsualNames({ properties = {} }: ObjectSchema): boolean {
  return Object.keys(properties).every((name) => /^[a-zA-Z0-9_.-]{1,64}$/.test(name));
}

const commandSchema = argumentsSchema(CommandArguments);
const plainSchema = argumentsSchema(
  CommandArguments.extend({
    input: z.unknown().optional().describe('Instead of stdin: JSON for it. The output is then read as JSON.'),
  }),
);

function scriptArguments(choices: readonly Choice[]): Arguments {
  const names = choices.map(({ name }) => name);
  const schema = choices.every(({ tool }) => isPlainScript(tool)) ? plainSchema : commandSchema;
  const script = { type: 'string', enum: names, description: 'The script to run.' };
  const properties = { ...schema.properties, script };
  return { inputSchema: { ...schema, properties, required: ['script'] }, takes: 'command' };
}
