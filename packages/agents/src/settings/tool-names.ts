/** A tool as a selection names it: `Bash`, `Bash(git:*)`, `mcp__server__tool`, `mcp__server`, `mcp__server__*`. */
export interface ToolName {
  /** As it was written. */
  text: string;
  /** Without what stands in parentheses. */
  name: string;
  /** What stands in parentheses; absent: all of the tool. */
  rule?: string;
  /** For a tool of an MCP server. `tool` absent: all of the server's. */
  mcp?: { server: string; tool?: string };
}

/** Reads the name of a tool. Nothing is unreadable: what has no known form is a built-in tool of that name. */
export function toolName(text: string): ToolName {
  const [, name = text, rule] = /^([^()]+)\((.*)\)$/s.exec(text) ?? [];
  const [, server, tool] = /^mcp__(.+?)(?:__(.+))?$/s.exec(name) ?? [];
  return {
    text,
    name,
    ...(rule === undefined ? {} : { rule }),
    ...(server === undefined
      ? {}
      : { mcp: { server, ...(tool === undefined || tool === '*' ? {} : { tool }) } }),
  };
}

/** Each once, in order. */
export function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}

/** The sentence for tools of a list that an agent has none of; none for none. */
export function unknownTools(agent: string, tools: readonly ToolName[]): string[] {
  if (tools.length === 0) return [];
  return [`${agent} has no tool for ${unique(tools.map(({ text }) => text)).join(', ')}, so it gets none.`];
}
