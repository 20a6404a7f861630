import { createHash } from 'node:crypto';
import { modelDescription, modelLine, payloadSchema, type Skill } from '@ambit/core';
import { asToolSkill, type ToolSkill } from '@ambit/core/execute';
import { callableScripts, isForModels, isPlainScript, listedScripts } from '@ambit/core/skill';
import { z } from 'zod';
import type { ModelTool } from './answer/tool.ts';
import { modelName } from './model-name.ts';
import {
  argumentsSchema,
  CommandArguments,
  forModels,
  isPlainObjectSchema,
  type ObjectSchema,
  schemaFlaw,
  toolHints,
  wrapSchema,
} from './tool-schema.ts';

/** A skill as a tool, or why models are not offered it. */
export type Offer = { tool: ModelTool } | { why: string };

/**
 * Skills as tools, cached per skill object. A model chooses a tool by its own description, so untrusted skills are
 * offered only on request.
 */
export function toolOffers(): (skill: Skill, options: { untrusted: boolean }) => Offer {
  const made = new WeakMap<Skill, Offer>();
  return (skill, { untrusted }) => {
    if (!isForModels(skill)) return { why: 'its author hides it from models' };
    if (skill.tier === 'untrusted' && !untrusted)
      return { why: 'it is untrusted; ask with untrusted=true to include it' };
    const known = made.get(skill) ?? offerOf(skill);
    made.set(skill, known);
    return known;
  };
}

function offerOf(skill: Skill): Offer {
  if (skill.tier === 'untrusted') {
    const flaw = schemaFlaw(skill);
    if (flaw !== undefined) return { why: `models must not see its schemas: ${flaw}` };
  }
  const tool = defaultTool(skill);
  const choices = tool === undefined ? choicesOf(skill) : [];
  if (tool === undefined && choices.length === 0)
    return { why: 'it has several runs, and none that takes arguments; call it with "script"' };
  const { id, tier, digest } = skill;
  const hints = (tool === undefined ? choices.map((choice) => choice.tool) : [tool]).map(({ run }) =>
    toolHints(run),
  );
  return {
    tool: {
      name: shortName(id),
      skill: id,
      description: modelDescription(skill),
      ...(tool === undefined ? scriptArguments(choices) : argumentsOf(tool)),
      readOnly: hints.every(({ readOnlyHint }) => readOnlyHint),
      openWorld: hints.some(({ openWorldHint }) => openWorldHint),
      tier,
      digest,
    },
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

function argumentsOf(tool: ToolSkill): Pick<ModelTool, 'inputSchema' | 'takes'> {
  const { run } = tool;
  if (run.protocol === 'command')
    return { inputSchema: isPlainScript(tool) ? plainSchema : commandSchema, takes: 'command' };
  const input = payloadSchema(forModels(run).input);
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

function scriptArguments(choices: readonly Choice[]): Pick<ModelTool, 'inputSchema' | 'takes'> {
  const names = choices.map(({ name }) => name);
  const schema = choices.every(({ tool }) => isPlainScript(tool)) ? plainSchema : commandSchema;
  const script = { type: 'string', enum: names, description: 'The script to run.' };
  const properties = { ...schema.properties, script };
  return { inputSchema: { ...schema, properties, required: ['script'] }, takes: 'command' };
}

const nameCharactersMax = 64;

/** The name that all providers accept. A long one keeps its beginning, and ends with a part of the id's digest. */
function shortName(id: string): string {
  const name = modelName(id);
  if (name.length <= nameCharactersMax) return name;
  const end = `_${createHash('sha256').update(id).digest('hex').slice(0, 16)}`;
  return name.slice(0, nameCharactersMax - end.length) + end;
}
