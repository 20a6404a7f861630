import type { Readable, Writable } from 'node:stream';
import type { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { McpCaller, McpDeps } from './mcp-deps.ts';
import { mcpServer } from './mcp-server.ts';
import { announce } from './session/announce.ts';
import { watchSkills } from './session/watch-skills.ts';
import { skillEntries } from './skills/skill-entry.ts';

/** Where a client is connected; nothing else may be written to its `stdout`. */
export interface McpStreams {
  stdin: Readable;
  stdout: Writable;
}

/** MCP with one client over a pair of streams. */
export interface McpConnection {
  /** Resolves when the client is gone. */
  ended: Promise<void>;
  close(): Promise<void>;
}

/** Speaks MCP with the one client that holds the other ends of the streams, until it closes its own. */
export function mcpStdio(deps: McpDeps, caller: McpCaller, { stdin, stdout }: McpStreams): McpConnection {
  const entries = skillEntries();
  const ended = Promise.withResolvers<void>();
  for (const event of ['end', 'close', 'error']) stdin.once(event, () => ended.resolve());
  // A client that is gone reads no answer.
  stdout.on('error', () => ended.resolve());
  let servers: McpServer[] = [];
  const watch = watchSkills(
    { list: () => deps.execute.catalog.list() },
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
    { transport: new StdioServerTransport(stdin, stdout) },
  );
  return {
    ended: ended.promise,
    async close() {
      watch.close();
      await connection.close();
    },
  };
}
