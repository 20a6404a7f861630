import type { EffectiveTools } from '@ambit/core/select';
import { type ToolName, toolName, unique } from './tool-names.ts';

/** A list of tools in the terms of Claude Code. */
interface ClaudeTools {
  /** The available built-in tools. */
  builtIn: string[];
  /** The tools that run without a question. */
  allowed: string[];
  disallowed: string[];
  limits: string[];
}

/** Converts a list of tools for Claude Code's flags and its SDK's options, which use the same values. */
export function claudeTools({ allowed, withheld }: EffectiveTools): ClaudeTools {
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
