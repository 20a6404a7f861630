import type { ServerContext } from '@modelcontextprotocol/server';

/** The context of a `tools/call`. */
export interface ToolContext extends ServerContext {
  /** Whether the client asked for skills' logs. */
  hearsLog: boolean;
}
