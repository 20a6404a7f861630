import type { EffectiveTools } from '@ambit/core/select';

/** A tool's name in a selection: `Bash`, `Bash(git:*)`, `mcp__server__tool`, `mcp__server`, `mcp__server__*`. */
export interface ToolName {
  /** The full text. */
  text: string;
  /** The text before the parentheses. */
  name: string;
  /** The text in parentheses. `undefined`: the whole tool. */
  rule: string | undefined;
  /** For a tool of an MCP server. `tool` is `undefined` for all of the server's tools. */
  mcp: { server: string; tool: string | undefined } | undefined;
}

/** Reads the name of a tool. Any text of an unknown form is a built-in tool of that name. */
export function toolName(text: string): ToolName {
  const [, name = text, rule] = /^([^()]+)\((.*)\)$/s.exec(text) ?? [];
  const [, server, tool] = /^mcp__(.+?)(?:__(.+))?$/s.exec(name) ?? [];
  return {
    text,
    name,
    rule,
    mcp: server === undefined ? undefined : { server, tool: tool === '*' ? undefined : tool },
  };
}

/** The tools of a list; empty if an agent has every tool. */
export function listedTools(allowed: EffectiveTools['allowed']): ToolName[] {
  return allowed === 'all' ? [] : allowed.map(toolName);
}

/** The names in order, without duplicates. */
export function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}

/** The sentence for tools that an agent does not have; empty without any. */
export function unknownTools(agent: string, tools: readonly ToolName[]): string[] {
  if (tools.length === 0) return [];
  return [`${agent} has no tool for ${unique(tools.map(({ text }) => text)).join(', ')}, so it gets none.`];
}
