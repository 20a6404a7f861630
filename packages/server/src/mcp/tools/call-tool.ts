import { type BrokenSkill, isExecutable, SkillError } from '@ambit/core';
import { isBroken } from '@ambit/core/skill';
import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { skillOfTool } from '../../wire/tool/tool-name.ts';
import type { McpCaller, McpDeps } from '../request/mcp-deps.ts';
import { pageOf } from '../request/page.ts';
import { recordRefused, refusalOf } from '../request/refused.ts';
import type { ToolContext } from '../request/request-signal.ts';
import { seenCatalog, seenSkills } from '../request/seen-skills.ts';
import { whyNoTool } from '../skills/why-no-tool.ts';
import type { FixedTool } from '../tool/fixed-tool.ts';
import { refusedResult, runResult } from '../tool/result.ts';
import { fixedTools } from './fixed-tools.ts';
import { runTool, type SkillCall } from './run-tool.ts';
import { isRunSkill, type RunSkill, type ToolOf } from './skill-tool.ts';

const toolsMax = 1000;

/** The tools of a caller: Ambit's own first, then each skill that can be run as a tool. */
export async function listTools(
  deps: McpDeps,
  caller: McpCaller,
  cursor: string | undefined,
  toolOf: ToolOf,
): Promise<ListToolsResult> {
  const own = [...fixedTools.values()].filter(({ scope }) => caller.mayExecute || scope === 'skills:read');
  const skills = caller.mayExecute ? (await seenSkills(deps, caller)).filter(isRunSkill) : [];
  const offered = skills.filter((skill) => whyNoTool(skill, deps) === undefined);
  const { items, ...next } = pageOf(offered, ({ id }) => id, cursor, toolsMax);
  const first = cursor === undefined ? own.map(({ tool }) => tool) : [];
  return { tools: [...first, ...items.map((skill) => toolOf(skill).definition)], ...next };
}

/**
 * Calls a tool. A refusal is a result with `isError` that has the reason and the configuration that
 * grants what is missing, and it is recorded. Only an unknown tool is the protocol error `-32602`,
 * which is recorded too.
 */
export async function callTool(
  deps: McpDeps,
  caller: McpCaller,
  { name, arguments: given = {} }: { name: string; arguments?: Record<string, unknown> | undefined },
  ctx: ToolContext,
  toolOf: ToolOf,
): Promise<CallToolResult> {
  const call = { name, given, ctx };
  const fixed = fixedTools.get(name);
  if (!caller.mayExecute && fixed?.scope !== 'skills:read') {
    const message =
      'this key lacks the scope skills:execute, which is needed to run skills and use workspaces; the operator can create a key that has it';
    return refused(deps, caller, call, new SkillError('CAPABILITY_DENIED', message));
  }
  return fixed === undefined ? callSkill(deps, caller, call, toolOf) : callFixed(deps, caller, call, fixed);
}

/** A `tools/call` request. */
interface Call {
  name: string;
  given: Record<string, unknown>;
  ctx: ToolContext;
}

async function callFixed(
  deps: McpDeps,
  caller: McpCaller,
  call: Call,
  { read, runsSkill }: FixedTool,
): Promise<CallToolResult> {
  let prepared: ReturnType<typeof read>;
  try {
    prepared = read(call.given);
  } catch (error) {
    return refused(deps, caller, call, error);
  }
  try {
    return await prepared(deps, caller, call.ctx);
  } catch (error) {
    // Calls of skills have their own record.
    return runsSkill
      ? refusedResult(call.name, call.ctx.executionId, refusalOf(deps, error))
      : refused(deps, caller, call, error);
  }
}

async function callSkill(
  deps: McpDeps,
  caller: McpCaller,
  call: Call,
  toolOf: ToolOf,
): Promise<CallToolResult> {
  const { name, given, ctx } = call;
  const skill = await toolNamed(deps, caller, name);
  const refusal = isBroken(skill) ? undefined : whyNoTool(skill, deps);
  if (refusal !== undefined) return refused(deps, caller, call, refusal);
  const tool = isBroken(skill) ? undefined : toolOf(skill);
  let parsed: SkillCall;
  try {
    // `executeSkill` refuses a broken skill, and records it.
    parsed = tool?.read(given) ?? { input: {} };
  } catch (error) {
    return refused(deps, caller, call, error);
  }
  try {
    const result = await runTool(deps, caller, { skillId: skill.id, ...parsed }, ctx);
    return runResult(name, result, tool?.structured);
  } catch (error) {
    return refusedResult(name, ctx.executionId, refusalOf(deps, error));
  }
}

async function toolNamed(deps: McpDeps, caller: McpCaller, name: string): Promise<RunSkill | BrokenSkill> {
  const found = await skillOfTool(name, seenCatalog(deps, caller));
  if (found !== undefined && (isBroken(found) || isRunSkill(found))) return found;
  const known =
    found === undefined
      ? 'tools/list lists the tools'
      : `${isExecutable(found) ? 'run_skill_script runs its scripts, and ' : ''}load_skill reads its instructions`;
  const message = `tool ${JSON.stringify(name.slice(0, 200))} does not exist; ${known}`;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { code: 'SKILL_NOT_FOUND' });
}

async function refused(
  deps: McpDeps,
  caller: McpCaller,
  { name, ctx: { executionId } }: Call,
  error: unknown,
): Promise<CallToolResult> {
  const refusal = await recordRefused(deps, caller, requestOf(name), refusalOf(deps, error), executionId);
  return refusedResult(name, executionId, refusal);
}

function requestOf(name: string): string {
  return `tools/call ${name}`;
}
