/** An MCP server's definition in a neutral form, for agents that use another format. */
export type McpServer =
  | { kind: 'local'; command: string; args: string[]; env: Record<string, string>; cwd: string | undefined }
  | { kind: 'remote'; url: string; headers: Record<string, string> };

/**
 * Reads a definition in the format of `mcpServers` in most agents: `command`, `args` and `env`, or `url`
 * and `headers`. `undefined` for any other.
 */
export function mcpServer(definition: Readonly<Record<string, unknown>>): McpServer | undefined {
  const { command, args, env, cwd, url, headers } = definition;
  if (typeof url === 'string') return { kind: 'remote', url, headers: strings(headers) };
  if (typeof command !== 'string') return undefined;
  const words = Array.isArray(args) ? args.map(String) : [];
  return {
    kind: 'local',
    command,
    args: words,
    env: strings(env),
    cwd: typeof cwd === 'string' ? cwd : undefined,
  };
}

/** The sentence for a definition that cannot be converted. */
export function unreadableServer(name: string): string {
  return `The MCP server ${name} has neither a command nor a url, so it is left out.`;
}

function strings(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, String(each)]));
}
