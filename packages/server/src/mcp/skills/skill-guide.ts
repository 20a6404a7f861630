import { isExecutable, modelLine, type Skill, SkillError } from '@ambit/core';
import { asToolSkill, grantCall, type ToolSkill } from '@ambit/core/execute';
import { type Denial, items } from '@ambit/core/policy';
import { cutText, xmlText } from '@ambit/core/prompt';
import { callableScripts, type Script } from '@ambit/core/skill';
import { toolName } from '../../wire/tool/tool-name.ts';
import type { McpCaller, McpDeps } from '../request/mcp-deps.ts';
import { whyNoTool } from './why-no-tool.ts';

/** Bounds of each list in a guide, which keep a guide under 300 tokens. */
const [listCharactersMax, nameCharactersMax, namesCharactersMax] = [140, 100, 60];

/** Scripts whose grant is looked up: enough to say what a skill may use. */
const lookedUpMax = 20;

/**
 * Explains to a model, in Ambit's words, how to run a skill here: the call, the scripts, where files are, what the skill may
 * use and what it lacks. It names no command that decides. Empty if the skill has only instructions.
 */
export function skillGuide(skill: Skill, deps: McpDeps, caller: McpCaller): string {
  if (!isExecutable(skill)) return '';
  return `\n<skill_guide>\n${xmlText(guideLines(skill, deps, caller).join('\n'))}\n</skill_guide>`;
}

function guideLines(skill: Skill, deps: McpDeps, caller: McpCaller): string[] {
  const { id, sidecar } = skill;
  const review = `A person decides that (ambit skills review ${id}).`;
  if (!caller.mayExecute)
    return ['Your key can read this skill, and cannot run its scripts. A person decides that.'];
  if (whyNoTool(skill, deps) !== undefined) return [`Its scripts do not run here. ${review}`];
  const scripts = callableScripts(skill);
  const named = Object.keys(sidecar.namedRuns);
  const calls = calledTools(skill, [
    ...(sidecar.run === undefined ? [] : [undefined]),
    ...named,
    ...scripts.map(({ path }) => path),
  ]);
  const { used, lacks } = grantsOf(calls, deps, caller);
  return [
    ...(sidecar.run === undefined ? [] : [`To call it, use the tool ${toolName(id)}.`]),
    ...howToRun(id, named, scripts),
    ...(calls.some(({ tool }) => tool.run.capabilities.filesystem.write.includes('workspace'))
      ? [
          'Files: /workspace is its working folder, with the "files" of the call or the "workspace" that you name. /skill has its own files, read-only.',
        ]
      : []),
    used,
    ...(lacks === '' ? [] : [`${lacks} ${review}`]),
  ];
}

function howToRun(id: string, named: readonly string[], scripts: readonly Script[]): string[] {
  const [script] = scripts;
  const entries =
    named.length === 0 ? [] : [`Entries, as "script": ${listed(named)}. list_skills has their inputs.`];
  if (script === undefined) {
    const run = `To run an entry: run_skill_script with the name ${id}, the script, and its input or args.`;
    return named.length === 0 ? [] : [run, ...entries];
  }
  // A path without quotes is the clearest example.
  const plain = scripts.find(({ path }) => /^[\w@%+,./-]{1,60}$/.test(path));
  const example =
    plain &&
    `, such as "${plain.interpreter === null ? '' : `${plain.interpreter} `}${plain.path} ARGUMENTS"`;
  return [
    `To run a script: run_skill_script with the name ${id} and a command of these instructions${example ?? ''}. One script a call: no shell, and no code of your own.`,
    `Scripts: ${listed(scripts.map(({ path }) => path))}.`,
    ...entries,
  ];
}

interface Call {
  name: string;
  tool: ToolSkill;
}

function calledTools(skill: Skill, names: readonly (string | undefined)[]): Call[] {
  return names.slice(0, lookedUpMax).flatMap((name) => {
    const tool = orRefused(() => asToolSkill(skill, name));
    return tool === undefined || tool instanceof SkillError ? [] : [{ name: name ?? skill.id, tool }];
  });
}

/** Says what calls of the skill may use together, and what some of them lack, as sentences. */
function grantsOf(
  calls: readonly Call[],
  { execute: { policy } }: McpDeps,
  { ceiling }: McpCaller,
): { used: string; lacks: string } {
  const programs = new Set<string>();
  const others = new Set<string>();
  let hasUserRights = false;
  const lacks = new Set<string>();
  const refused: string[] = [];
  for (const { name, tool } of calls) {
    const grant = orRefused(() => grantCall(policy, tool, { ceiling }));
    if (grant instanceof SkillError) {
      refused.push(name);
      for (const denial of (grant.details['denials'] ?? []) as Denial[]) lacks.add(deniedText(denial));
    } else
      for (const { kind, text } of items(grant.capabilities))
        if (kind === 'host') hasUserRights = true;
        else if (kind === 'exec') programs.add(text === '@posix' ? 'the usual shell programs' : text);
        // The guide says apart whether there is a workspace.
        else if (text !== 'workspace') others.add(`${kind} ${text}`);
  }
  const used = listed([...programs, ...others]);
  const bounded =
    used === ''
      ? 'It may use nothing of this machine, and no network.'
      : `It may use: ${used}. Nothing else: no other program, host or file of this machine.`;
  return {
    used: hasUserRights ? 'It may use what the user of this machine may.' : bounded,
    lacks:
      lacks.size === 0
        ? ''
        : `It lacks ${listed([...lacks])}, so ${refused.length === calls.length ? 'it' : cutText(refused.join(', '), namesCharactersMax)} does not run.`,
  };
}

function orRefused<Result>(decide: () => Result): Result | SkillError {
  try {
    return decide();
  } catch (error) {
    if (error instanceof SkillError) return error;
    throw error;
  }
}

function deniedText({ capability, requested }: Denial): string {
  if (capability === 'run') return 'leave to run programs';
  return requested === 'granted' ? capability : `${capability} ${requested}`;
}

/** The first names, the first one cut if it is long, and how many are left out. */
function listed(names: readonly string[]): string {
  const shown: string[] = [];
  let left = listCharactersMax;
  for (const each of names) {
    const name = shown.length === 0 ? modelLine(each, nameCharactersMax) : modelLine(each);
    left -= name.length + 2;
    if (left < 0) break;
    shown.push(name);
  }
  const more = names.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
