import type { EffectiveTools } from '@ambit/core/select';
import { type ToolName, toolName, unique } from './tool-names.ts';

/** A list of tools in the terms of Claude Code. */
interface ClaudeTools {
  /** The available built-in tools. `default`: every one. */
  builtIn: string[] | 'default';
  /** The tools that run without a question. */
  allowed: string[];
  disallowed: string[];
  /** The mode for a call of any other tool: it is denied, or permitted like all. */
  permissionMode: 'dontAsk' | 'bypassPermissions';
  limits: string[];
}

/** Converts a list of tools for Claude Code's flags and its SDK's options, which use the same values. */
export function claudeTools({ allowed, withheld }: EffectiveTools): ClaudeTools {
  if (allowed === 'all')
    return {
      builtIn: 'default',
      allowed: [],
      disallowed: [],
      permissionMode: 'bypassPermissions',
      limits: ['Claude Code does not start as root with every tool permitted, except in a container.'],
    };
  const tools = allowed.map(toolName);
  const isAllowed = new Set(tools.map(({ name }) => name));
  const usable = tools.filter(isUsable);
  return {
    builtIn: unique(usable.filter(({ mcp }) => mcp === undefined).map(({ name }) => name)),
    allowed: unique(usable.map(({ text }) => text)),
    disallowed: unique(
      withheld
        .map(toolName)
        .filter((tool) => tool.rule === undefined && !isAllowed.has(tool.name) && isUsable(tool))
        .map(({ text }) => text),
    ),
    permissionMode: 'dontAsk',
    limits: tools
      .filter((tool) => !isUsable(tool))
      .map(
        ({ text }) => `${JSON.stringify(text)} is not a valid tool name in Claude Code, so it is left out.`,
      ),
  };
}

/** Whether it is one name: not a pattern, not two names, and not `default`, which means every built-in tool. */
function isUsable({ name, mcp }: ToolName): boolean {
  if (mcp === undefined) return /^(?!default$)[a-z][\w-]*$/i.test(name);
  return [mcp.server, mcp.tool ?? 'all'].every((part) => /^[\w.-]+$/.test(part));
}
