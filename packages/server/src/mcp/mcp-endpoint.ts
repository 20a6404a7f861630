import { createMcpHandler, InMemoryServerEventBus, isLegacyRequest } from '@modelcontextprotocol/server';
import type { McpCaller, McpDeps } from './mcp-deps.ts';
import { mcpServer } from './mcp-server.ts';
import { sessions } from './session/sessions.ts';
import { watchSkills } from './session/watch-skills.ts';
import { skillEntries } from './skills/skill-entry.ts';

/** MCP over streamable HTTP, behind whatever has checked who asks. */
export interface McpEndpoint {
  /**
   * Answers a request of `caller`, whose body has been read and is `body`; `undefined` for one without. The request's
   * signal aborts when the client is gone.
   */
  fetch(request: Request, caller: McpCaller, body: unknown): Promise<Response>;
  /** Ends every stream and session. */
  close(): Promise<void>;
}

/**
 * The endpoint at `/mcp`. It speaks the protocol of 2026-07-28, in which every request stands for itself, and those of
 * 2025, in sessions. Both have the same tools, prompts and resources.
 */
export function mcpEndpoint(deps: McpDeps): McpEndpoint {
  const entries = skillEntries();
  const serverFor = (caller: McpCaller) => mcpServer(deps, caller, entries);
  const callers = new WeakMap<Request, McpCaller>();
  const bus = new InMemoryServerEventBus();
  const modern = createMcpHandler(
    ({ requestInfo }) => {
      const caller = requestInfo === undefined ? undefined : callers.get(requestInfo);
      if (caller === undefined) throw new Error('a request of nobody');
      return serverFor(caller);
    },
    { legacy: 'reject', bus },
  );
  const legacy = sessions(serverFor);
  const watch = watchSkills(
    { list: () => deps.execute.catalog.list() },
    () => legacy.areHeard() || bus.listenerCount > 0,
    () => {
      legacy.changed();
      modern.notify.toolsChanged();
      modern.notify.promptsChanged();
      modern.notify.resourcesChanged();
    },
  );
  return {
    async fetch(request, caller, body) {
      await watch.look();
      if (await isLegacyRequest(request, body)) return legacy.fetch(request, caller, body);
      callers.set(request, caller);
      return modern.fetch(request, { parsedBody: body });
    },
    async close() {
      watch.close();
      await Promise.all([modern.close(), legacy.close()]);
    },
  };
}
