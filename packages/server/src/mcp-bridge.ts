/** MCP over stdio, forwarded to a daemon. The MCP library is not loaded. */
export type { FindDaemon } from './mcp/bridge/forward-error.ts';
export { forwardStdio } from './mcp/bridge/forward-stdio.ts';
export type { McpStreams } from './mcp/bridge/stdio-streams.ts';
