import type { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { mcpServer, skillViews } from './mcp-server.ts';
import { refuseLargeMessage } from './request/large-message.ts';
import type { McpCaller, McpDeps } from './request/mcp-deps.ts';
import { announce, watchSkills } from './session/watch-skills.ts';
import { type McpConnection, type McpStreams, stdioTransport } from './stdio-streams.ts';

/** Serves MCP to one client over the streams until it closes them. */
export function mcpStdio(
  deps: McpDeps,
  caller: McpCaller,
  streams: McpStreams,
  messageBytesMax: number,
): McpConnection {
  const views = skillViews();
  const { transport, ended } = stdioTransport(streams, messageBytesMax, (large) =>
    refuseLargeMessage(deps, caller, large),
  );
  let servers: McpServer[] = [];
  const watch = watchSkills(
    deps,
    () => true,
    () => {
      servers = servers.filter((mcp) => mcp.isConnected());
      for (const mcp of servers) announce(mcp);
    },
  );
  void watch.look();
  const connection = serveStdio(
    () => {
      const mcp = mcpServer(deps, caller, views);
      servers.push(mcp);
      return mcp;
    },
    { transport, onerror: (error) => deps.onFault(error) },
  );
  return {
    ended,
    async close() {
      watch.close();
      await connection.close();
      await transport.close();
    },
  };
}
