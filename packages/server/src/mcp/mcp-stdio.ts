import type { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { McpCaller, McpDeps } from './mcp-deps.ts';
import { mcpServer } from './mcp-server.ts';
import { announce } from './session/announce.ts';
import { watchSkills } from './session/watch-skills.ts';
import { skillEntries } from './skills/skill-entry.ts';
import { clientGone, type McpConnection, type McpStreams } from './stdio-streams.ts';

/** Speaks MCP with the one client that holds the other ends of the streams, until it closes its own. */
export function mcpStdio(deps: McpDeps, caller: McpCaller, streams: McpStreams): McpConnection {
  const entries = skillEntries();
  const ended = clientGone(streams);
  let servers: McpServer[] = [];
  const watch = watchSkills(
    deps.execute.catalog,
    () => true,
    () => {
      servers = servers.filter((mcp) => mcp.isConnected());
      for (const mcp of servers) announce(mcp);
    },
  );
  void watch.look();
  const connection = serveStdio(
    () => {
      const mcp = mcpServer(deps, caller, entries);
      servers.push(mcp);
      return mcp;
    },
    { transport: new StdioServerTransport(streams.stdin, streams.stdout) },
  );
  return {
    ended,
    async close() {
      watch.close();
      await connection.close();
    },
  };
}
