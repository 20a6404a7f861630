import {
  isBroken,
  modelDescription,
  modelLine,
  modelSchema,
  modelText,
  otherScripts,
  payloadSchema,
  runnablePackages,
  type Skill,
  SkillError,
} from '@ambit/core';
import { readListedFile } from '@ambit/runtime';
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { Args, Files, ScriptName } from '../../wire/call-input.ts';
import { SkillQuery } from '../../wire/find-skills.ts';
import { utf8 } from '../../wire/utf8.ts';
import type { McpCaller, McpDeps } from '../mcp-deps.ts';
import { recordRefused } from '../refused.ts';
import { seenSkill, seenSkills } from '../seen-skills.ts';
import { loadedSkill } from '../skills/loaded-skill.ts';
import { readArguments } from './read-arguments.ts';
import { refusedResult, runResult, textResult } from './result.ts';
import { runTool } from './run-tool.ts';
import { isRunSkill } from './skill-tool.ts';
import type { ToolContext } from './tool-context.ts';
import { leftOutTools, whyNoTool } from './why-no-tool.ts';

/** A tool of Ambit's own, beside those that the skills are. */
export interface FixedTool {
  tool: Tool;
  /** Whether it runs something of a skill. What goes wrong there is in the call's own record. */
  executes: boolean;
  /** The call that these arguments mean. Throws `INPUT_INVALID`. */
  read(given: unknown): (deps: McpDeps, caller: McpCaller, ctx: ToolContext) => Promise<CallToolResult>;
}

const skillName = z.string().max(200).describe("The skill's name.");

/**
 * `list_skills`, `load_skill`, `read_skill_file` and `run_skill_script`, by name. A skill's id has no underscore, so that
 * no skill takes the place of one.
 */
export const fixedTools: ReadonlyMap<string, FixedTool> = new Map(
  [
    fixedTool('list_skills', {
      description:
        'Lists the skills there are, for a phase or an agent of your work, with a tag, or by words. Load one with load_skill before a task that fits its description.',
      schema: SkillQuery.omit({ executable: true }),
      async run(deps, caller, query) {
        const skills = await seenSkills(deps, caller, query);
        const toolsLeftOut = leftOutTools(skills, deps);
        return textResult(
          JSON.stringify({ skills: skills.map((skill) => listed(skill, deps)), toolsLeftOut }),
        );
      },
    }),
    fixedTool('load_skill', {
      description:
        'Reads the instructions of a skill. Call it before a task that fits the description of the skill.',
      schema: z.strictObject({ name: skillName }),
      run: async (deps, caller, { name }) => textResult(loadedSkill(await seenSkill(deps, caller, name))),
    }),
    fixedTool('read_skill_file', {
      description: 'Reads a text file of a skill, such as one in its references/ or assets/.',
      schema: z.strictObject({
        name: skillName,
        path: z.string().max(4096).describe("Relative to the skill's folder."),
      }),
      run: async (deps, caller, { name, path }) =>
        textResult(await skillFileText(await seenSkill(deps, caller, name), path)),
    }),
    fixedTool('run_skill_script', {
      description:
        'Runs one of the scripts that a skill comes with, in a sandbox: one that list_skills shows under "entries" or "scripts" of the skill.',
      executes: true,
      schema: z.strictObject({
        name: skillName,
        script: ScriptName.describe(
          'Which of its scripts, or a Python module of it: -m package.module; absent: run.sh, run.py, or the only one.',
        ),
        input: z
          .unknown()
          .optional()
          .describe('For an entry with an "input" schema, instead of args and stdin.'),
        args: Args.describe('The arguments of the script.'),
        stdin: z.string().optional(),
        files: Files.describe('Files to put into its working directory.'),
      }),
      async run(deps, caller, { name: skillId, ...input }, ctx) {
        const skill = caller.sees(skillId) ? await deps.execute.catalog.find(skillId) : undefined;
        const refusal = skill === undefined || isBroken(skill) ? undefined : whyNoTool(skill, deps);
        if (refusal !== undefined) {
          const request = `tools/call run_skill_script ${skillId}`;
          return refusedResult(skillId, await recordRefused(deps, caller, request, refusal));
        }
        return runResult(skillId, await runTool(deps, caller, { skillId, input }, ctx), undefined);
      },
    }),
  ].map((each) => [each.tool.name, each]),
);

function fixedTool<Schema extends z.ZodType>(
  name: string,
  {
    description,
    schema,
    executes = false,
    run,
  }: {
    description: string;
    schema: Schema;
    executes?: boolean;
    run(deps: McpDeps, caller: McpCaller, given: z.output<Schema>, ctx: ToolContext): Promise<CallToolResult>;
  },
): FixedTool {
  const inputSchema = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Tool['inputSchema'];
  return {
    tool: {
      ...{ name, description, inputSchema },
      annotations: executes ? {} : { readOnlyHint: true, openWorldHint: false },
    },
    executes,
    read(given) {
      const parsed = readArguments(name, schema, given);
      return (deps, caller, ctx) => run(deps, caller, parsed, ctx);
    },
  };
}

/** What a model has to know of a skill to choose it, and how it is run where it can be. */
function listed(skill: Skill, deps: McpDeps): object {
  const { id, sidecar, tier } = skill;
  const packages = runnablePackages(skill).map((name) => `-m ${name}`);
  const scripts = [...otherScripts(skill).map(({ path }) => path), ...packages];
  const entries = Object.entries(sidecar.namedRuns).map(listedEntry);
  const canRun = whyNoTool(skill, deps) === undefined;
  return {
    ...{ name: id, description: modelDescription(skill), version: sidecar.version ?? null, tier },
    tags: sidecar.tags.slice(0, tagsMax).map((tag) => modelLine(tag, tagCharactersMax)),
    ...(canRun && isRunSkill(skill) ? { tool: id } : {}),
    ...(canRun && entries.length > 0 ? { entries } : {}),
    ...(canRun && scripts.length > 0
      ? { scripts: scripts.map((script) => modelLine(script, pathCharactersMax)) }
      : {}),
  };
}

/** One of `run.scripts`: what it is for, and the schema of what it takes where that is JSON. */
function listedEntry([script, { run, description }]: [
  string,
  Skill['sidecar']['namedRuns'][string],
]): object {
  const input = run.protocol === 'json' ? modelSchema(payloadSchema(run.input) ?? true).schema : undefined;
  return {
    script,
    ...(description === undefined ? {} : { description: modelLine(description) }),
    ...(input === undefined ? {} : { input }),
  };
}

const [tagsMax, tagCharactersMax, pathCharactersMax] = [32, 64, 4096];

/** More than any text that a model should read at once. */
const fileBytesMax = 256 * 1024;

async function skillFileText(skill: Skill, path: string): Promise<string> {
  const file = skill.files.find((each) => each.path === path);
  if (file === undefined) {
    const some = skill.files.slice(0, 50).map((each) => modelLine(each.path));
    const known = `${some.join(', ')}${skill.files.length > 50 ? ', …' : ''}`;
    throw new SkillError(
      'INPUT_INVALID',
      `${skill.id} has no file ${JSON.stringify(path.slice(0, 200))}; it has ${known}`,
    );
  }
  if (file.bytes > fileBytesMax)
    throw new SkillError(
      'INPUT_INVALID',
      `${path} has ${file.bytes} bytes; at most ${fileBytesMax} are read`,
    );
  const content = await readListedFile(skill, file);
  if (content === undefined)
    throw new SkillError('INPUT_INVALID', `${path} is a link, and links are not followed`);
  const text = utf8(content);
  if (text !== undefined) return modelText(text);
  throw new SkillError('INPUT_INVALID', `${path} is not text: ${file.bytes} bytes of something else`);
}
