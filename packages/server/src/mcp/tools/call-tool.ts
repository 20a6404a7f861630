import { type BrokenSkill, isExecutable, SkillError } from '@ambit/core';
import { isBroken } from '@ambit/core/internal';
import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  type Tool,
} from '@modelcontextprotocol/server';
import type { McpCaller, McpDeps } from '../mcp-deps.ts';
import { pageOf } from '../page.ts';
import { recordRefused, refusalOf } from '../refused.ts';
import { seenSkills } from '../seen-skills.ts';
import type { FixedTool } from './fixed-tool.ts';
import { fixedTools } from './fixed-tools.ts';
import { refusedResult, runResult } from './result.ts';
import { runTool, type SkillCall } from './run-tool.ts';
import { hasStructuredOutput, isRunSkill, type RunSkill, skillCall, structuredOutput } from './skill-tool.ts';
import type { ToolContext } from './tool-context.ts';
import { whyNoTool } from './why-no-tool.ts';

const toolsMax = 1000;

/** The tools that a caller has: Ambit's own first, then a tool for each skill that says how it is run and may be one. */
export async function listTools(
  deps: McpDeps,
  caller: McpCaller,
  cursor: string | undefined,
  toolOf: (skill: RunSkill) => Tool,
): Promise<ListToolsResult> {
  const own = [...fixedTools.values()].filter(({ scope }) => caller.mayExecute || scope === 'skills:read');
  const skills = caller.mayExecute ? (await seenSkills(deps, caller)).filter(isRunSkill) : [];
  const offered = skills.filter((skill) => whyNoTool(skill, deps) === undefined);
  const { items, ...next } = pageOf(offered, ({ id }) => id, cursor, toolsMax);
  const first = cursor === undefined ? own.map(({ tool }) => tool) : [];
  return { tools: [...first, ...items.map(toolOf)], ...next };
}

/**
 * Calls one of them. A refusal is an answer with `isError` that says why and what would grant it, and is recorded like
 * every other; only a tool that is not there at all is the protocol's error `-32602`, and leaves a record too.
 */
export async function callTool(
  deps: McpDeps,
  caller: McpCaller,
  { name, arguments: given = {} }: { name: string; arguments?: Record<string, unknown> | undefined },
  ctx: ToolContext,
): Promise<CallToolResult> {
  const call = { name, given, ctx };
  const fixed = fixedTools.get(name);
  if (!caller.mayExecute && fixed?.scope !== 'skills:read') {
    const message =
      'this key may not execute skills or use workspaces, because it lacks the scope skills:execute; the operator can make one that has it';
    return refused(deps, caller, call, new SkillError('CAPABILITY_DENIED', message));
  }
  return fixed === undefined ? callSkill(deps, caller, call) : callFixed(deps, caller, call, fixed);
}

/** One `tools/call`, as it came. */
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
    // What was executed has a record of its own.
    return runsSkill ? refusedResult(call.name, refusalOf(deps, error)) : refused(deps, caller, call, error);
  }
}

async function callSkill(deps: McpDeps, caller: McpCaller, call: Call): Promise<CallToolResult> {
  const { name, given, ctx } = call;
  const skill = await toolNamed(deps, caller, name);
  const refusal = isBroken(skill) ? undefined : whyNoTool(skill, deps);
  if (refusal !== undefined) return refused(deps, caller, call, refusal);
  let asked: SkillCall;
  try {
    // A broken one is refused, and recorded, where every skill is looked at.
    asked = isBroken(skill) ? { input: {} } : skillCall(skill, given);
  } catch (error) {
    return refused(deps, caller, call, error);
  }
  try {
    const result = await runTool(deps, caller, { skillId: name, ...asked }, ctx);
    const { outcome } = result;
    const isStructured = outcome.status === 'succeeded' && !isBroken(skill) && hasStructuredOutput(skill);
    const structured = isStructured ? () => structuredOutput(skill, outcome.output) : undefined;
    return runResult(name, result, structured);
  } catch (error) {
    return refusedResult(name, refusalOf(deps, error));
  }
}

async function toolNamed(deps: McpDeps, caller: McpCaller, name: string): Promise<RunSkill | BrokenSkill> {
  const found = caller.sees(name) ? await deps.execute.catalog.find(name) : undefined;
  if (found !== undefined && (isBroken(found) || isRunSkill(found))) return found;
  const known =
    found === undefined
      ? 'tools/list shows those there are'
      : `${isExecutable(found) ? 'run_skill_script runs its scripts, and ' : ''}load_skill reads its instructions`;
  const message = `there is no tool ${JSON.stringify(name.slice(0, 200))}; ${known}`;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { code: 'SKILL_NOT_FOUND' });
}

async function refused(
  deps: McpDeps,
  caller: McpCaller,
  { name }: Call,
  error: unknown,
): Promise<CallToolResult> {
  return refusedResult(name, await recordRefused(deps, caller, requestOf(name), refusalOf(deps, error)));
}

function requestOf(name: string): string {
  return `tools/call ${name}`;
}
