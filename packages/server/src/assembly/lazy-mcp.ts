import type { McpEndpoint } from '../mcp/mcp-endpoint.ts';
import type { McpDeps } from '../mcp/request/mcp-deps.ts';

/** The endpoint at `/mcp`, loaded at the first request: the MCP library is about a sixth of all code that a daemon loads. */
export function lazyMcp(deps: McpDeps): McpEndpoint {
  let loaded: Promise<McpEndpoint> | undefined;
  const endpoint = (): Promise<McpEndpoint> => {
    loaded ??= import('../mcp/mcp-endpoint.ts').then(({ mcpEndpoint }) => mcpEndpoint(deps));
    return loaded;
  };
  return {
    fetch: async (request, caller, body) => (await endpoint()).fetch(request, caller, body),
    close: async () => (await loaded)?.close(),
  };
}
