import type { ServerContext } from '@modelcontextprotocol/server';

/** What surrounds one `tools/call`. */
export interface ToolContext extends ServerContext {
  /** Whether the client wants to be told what skills log. */
  hearsLog: boolean;
}
