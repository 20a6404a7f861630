import type { EffectiveTools } from '@ambit/core/select';
import { type ToolName, toolName, unique } from './tool-names.ts';

/** A list of tools in the words of Claude Code. */
interface ClaudeTools {
  /** Those that there are. */
  builtIn: string[];
  /** Those that run unasked. */
  allowed: string[];
  disallowed: string[];
  limits: string[];
}

/** What stands for one list of tools in Claude Code's flags and in its SDK's options, which are the same. */
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
      .map(({ text }) => `${JSON.stringify(text)} is no name of a tool for Claude Code, so it is left out.`),
  };
}

/** Not a pattern, not two names, and not `default`, which stands for all of the built-in tools. */
function isUsable({ name, mcp }: ToolName): boolean {
  if (mcp === undefined) return /^(?!default$)[a-z][\w-]*$/i.test(name);
  return [mcp.server, mcp.tool ?? 'all'].every((part) => /^[\w.-]+$/.test(part));
}
