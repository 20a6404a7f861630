import { createHash } from 'node:crypto';
import { modelDescription, modelLine, payloadSchema, type Skill } from '@ambit/core';
import { asToolSkill, callableScripts, otherScripts, type Run } from '@ambit/core/internal';
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
  wrapped,
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
  const run = defaultRun(skill);
  const choices = run === undefined ? choicesOf(skill) : [];
  if (run === undefined && choices.length === 0)
    return { why: 'it has several runs, and none that takes arguments; call it with "script"' };
  const { id, tier, digest } = skill;
  const hints = (run === undefined ? choices.map((choice) => choice.run) : [run]).map(toolHints);
  return {
    tool: {
      name: shortName(id),
      skill: id,
      description: modelDescription(skill),
      ...(run === undefined ? scriptArguments(choices.map(({ name }) => name)) : argumentsOf(run)),
      readOnly: hints.every(({ readOnlyHint }) => readOnlyHint),
      openWorld: hints.some(({ openWorldHint }) => openWorldHint),
      tier,
      digest,
    },
  };
}

/** What runs without `script`; `undefined` if a call has to name one of several. */
function defaultRun(skill: Skill): Run | undefined {
  try {
    return asToolSkill(skill)?.run;
  } catch {
    return undefined;
  }
}

/** A model pays for each of them in every conversation. */
const choicesMax = 32;

/** The programs that a model can choose among. Names with hidden characters or markup are left out. */
function choicesOf(skill: Skill): { name: string; run: Run }[] {
  const callable = callableScripts(skill);
  // A skill of which nothing can run yet shows what it has: the refusal says what to do.
  const scripts = callable.length > 0 ? callable : otherScripts(skill);
  const names = [...Object.keys(skill.sidecar.namedRuns), ...scripts.map(({ path }) => path)];
  return names
    .filter((name) => modelLine(name) === name)
    .flatMap((name) => {
      const run = asToolSkill(skill, name)?.run;
      return run?.protocol === 'command' ? [{ name, run }] : [];
    })
    .slice(0, choicesMax);
}

function argumentsOf(run: Run): Pick<ModelTool, 'inputSchema' | 'takes'> {
  if (run.protocol === 'command') return { inputSchema: commandSchema, takes: 'command' };
  const input = payloadSchema(forModels(run).input);
  if (isPlainObjectSchema(input) && hasUsualNames(input)) return { inputSchema: input, takes: 'input' };
  return { inputSchema: wrapped('input', input ?? true), takes: 'wrapped' };
}

/** Anthropic refuses the whole request if a property of a tool has another name. */
function hasUsualNames({ properties = {} }: ObjectSchema): boolean {
  return Object.keys(properties).every((name) => /^[a-zA-Z0-9_.-]{1,64}$/.test(name));
}

const commandSchema = argumentsSchema(CommandArguments);

function scriptArguments(names: readonly string[]): Pick<ModelTool, 'inputSchema' | 'takes'> {
  const script = { type: 'string', enum: names, description: 'The script to run.' };
  const properties = { ...commandSchema.properties, script };
  return { inputSchema: { ...commandSchema, properties, required: ['script'] }, takes: 'command' };
}

const nameCharactersMax = 64;

/** The name that all providers accept. A long one keeps its beginning, and ends with a part of the id's digest. */
function shortName(id: string): string {
  const name = modelName(id);
  if (name.length <= nameCharactersMax) return name;
  const end = `_${createHash('sha256').update(id).digest('hex').slice(0, 16)}`;
  return name.slice(0, nameCharactersMax - end.length) + end;
}
