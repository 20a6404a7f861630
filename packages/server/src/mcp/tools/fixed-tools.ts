import { Args, CommandText, Files, ScriptName, StdinBytes } from '@ambit/api';
import { isBroken } from '@ambit/core/skill';
import { z } from 'zod';
import { givenInput } from '../../wire/given-input.ts';
import { recordRefused } from '../request/refused.ts';
import { seenCatalog, seenSkill } from '../request/seen-skills.ts';
import { loadedSkill } from '../skills/loaded-skill.ts';
import { whyNoTool } from '../skills/why-no-tool.ts';
import { type FixedTool, fixedTool } from '../tool/fixed-tool.ts';
import { refusedResult, runResult, textResult } from '../tool/result.ts';
import { workspaceTools } from '../workspaces/workspace-tools.ts';
import { listSkills } from './list-skills.ts';
import { runTool } from './run-tool.ts';
import { skillFileText } from './skill-file-text.ts';
import { WorkspaceArgument } from './workspace-argument.ts';

const skillName = z
  .string()
  .max(200)
  .describe("The skill's name; namespace:name if several skills have it. Its alias means the same.");

/**
 * Ambit's own tools by name, for skills and workspaces. Their names contain single underscores, and among the tools of
 * skills only names of over 60 characters do.
 */
export const fixedTools: ReadonlyMap<string, FixedTool> = new Map(
  [
    listSkills,
    fixedTool('load_skill', {
      description:
        "Reads the instructions of a skill, and how to run its scripts here. Call it before a task that fits the skill's description.",
      schema: z.strictObject({ name: skillName }),
      run: async (deps, caller, { name }) =>
        textResult(loadedSkill(await seenSkill(deps, caller, name), deps, caller)),
    }),
    fixedTool('read_skill_file', {
      description: 'Reads a text file of a skill, such as one in its references/ or assets/.',
      schema: z.strictObject({
        name: skillName,
        path: z.string().max(4096).describe("Relative to the skill's folder."),
        offset: z.int().min(0).default(0).describe('The first byte to read; to continue in a long file.'),
      }),
      async run(deps, caller, { name, path, offset }) {
        const skill = await seenSkill(deps, caller, name);
        const release = deps.hold(caller.actor, skill.files.find((each) => each.path === path)?.bytes ?? 0);
        const texts = await skillFileText(skill, path, offset).finally(release);
        return { content: texts.map((text) => ({ type: 'text', text })) };
      },
    }),
    fixedTool('run_skill_script', {
      description:
        'Runs a script of a skill in a sandbox. list_skills shows the scripts under "entries" and "scripts".',
      scope: 'skills:execute',
      runsSkill: true,
      annotations: {},
      schema: z
        .strictObject({
          name: skillName,
          script: ScriptName.describe(
            'The script to run, or a Python module of the skill: -m package.module. If absent: run.sh, run.py, or the only script.',
          ),
          input: z
            .unknown()
            .optional()
            .describe(
              'For an entry with an "input" schema, instead of args and stdin. For one of "scripts": JSON for its stdin; its output is read as JSON.',
            ),
          args: Args.describe('The arguments of the script.'),
          command: CommandText.describe(
            'Instead of script and args: a command of its instructions, such as python3 scripts/x.py --all. No shell runs it.',
          ),
          stdin: z.string().optional(),
          stdinBase64: StdinBytes.describe('Instead of stdin: any bytes.'),
          files: Files.describe('Files to put into its working directory.'),
          workspace: WorkspaceArgument,
        })
        .refine(({ stdin, stdinBase64 }) => stdin === undefined || stdinBase64 === undefined, {
          path: ['stdinBase64'],
          message: 'send either "stdin" or "stdinBase64", not both',
        }),
      async run(deps, caller, { name, workspace, stdin, stdinBase64, ...given }, ctx) {
        const skill = await seenCatalog(deps, caller).find(name);
        const skillId = skill?.id ?? name;
        const refusal = skill === undefined || isBroken(skill) ? undefined : whyNoTool(skill, deps);
        if (refusal !== undefined) {
          const request = `tools/call run_skill_script ${skillId}`;
          const { executionId } = ctx;
          const recorded = await recordRefused(deps, caller, request, refusal, executionId);
          return refusedResult(skillId, executionId, recorded);
        }
        const input = { ...given, ...givenInput({ stdin, stdinBase64, files: given.files }) };
        return runResult(skillId, await runTool(deps, caller, { skillId, input, workspace }, ctx), undefined);
      },
    }),
    ...workspaceTools,
  ].map((each) => [each.tool.name, each]),
);
