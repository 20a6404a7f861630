import { modelDescription, type Skill, SkillError } from '@ambit/core';
import { tierMark } from '@ambit/core/prompt';
import {
  type GetPromptResult,
  type ListPromptsResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { McpCaller, McpDeps } from '../request/mcp-deps.ts';
import { pageOf } from '../request/page.ts';
import { seenSkill, seenSkills, tierMeta } from '../request/seen-skills.ts';
import { loadedSkill } from './loaded-skill.ts';

const promptsMax = 1000;

/** Every skill with instructions, as a prompt with its name. Clients show prompts in menus. */
export async function listPrompts(
  deps: McpDeps,
  caller: McpCaller,
  cursor: string | undefined,
): Promise<ListPromptsResult> {
  const skills = (await seenSkills(deps, caller)).filter(
    (skill) => hasInstructions(skill) && skill.hiddenFrom?.includes('menus') !== true,
  );
  const { items, ...next } = pageOf(skills, ({ id }) => id, cursor, promptsMax);
  return {
    prompts: items.map((skill) => ({
      name: skill.id,
      title: tierMark(skill.tier) + skill.id,
      description: modelDescription(skill),
      arguments: [{ name: 'task', description: 'The task for the skill.', required: false }],
      _meta: tierMeta(skill),
    })),
    ...next,
  };
}

/**
 * The instructions of a skill, followed by the task. Rejects with `-32602` if there is no such
 * prompt.
 */
export async function getPrompt(
  deps: McpDeps,
  caller: McpCaller,
  name: string,
  { task }: Readonly<Record<string, string>> = {},
): Promise<GetPromptResult> {
  const skill = await seenSkill(deps, caller, name).catch((error: unknown) => {
    throw error instanceof SkillError ? noPrompt(error) : error;
  });
  if (!hasInstructions(skill))
    throw noPrompt({
      code: 'SKILL_NOT_FOUND',
      message: `${name} has no instructions, so it is not a prompt; call it as a tool`,
    });
  const loaded = loadedSkill(skill, deps, caller, task);
  const texts = task === undefined ? [loaded] : [loaded, task];
  return {
    description: modelDescription(skill),
    messages: texts.map((text) => ({ role: 'user', content: { type: 'text', text } })),
    _meta: tierMeta(skill),
  };
}

function hasInstructions({ body }: Skill): boolean {
  return body.trim() !== '';
}

function noPrompt({ code, message }: Pick<SkillError, 'code' | 'message'>): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { code });
}
