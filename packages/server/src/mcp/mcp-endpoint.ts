import { createMcpHandler, InMemoryServerEventBus, isLegacyRequest } from '@modelcontextprotocol/server';
import type { McpCaller, McpDeps } from './mcp-deps.ts';
import { mcpServer, skillViews } from './mcp-server.ts';
import { recordRefused } from './refused.ts';
import { listeners } from './session/listeners.ts';
import { sessions } from './session/sessions.ts';
import { watchSkills } from './session/watch-skills.ts';
import { whileKeyHolds } from './session/while-key-holds.ts';

/** MCP over streamable HTTP, behind whatever has checked who asks. */
export interface McpEndpoint {
  /**
   * Answers a request of `caller`, whose body has been read and is `body`; `undefined` for one without. The request's
   * signal aborts when the client is gone. What is refused has a record, whoever refuses it; rejects with
   * `AUDIT_UNAVAILABLE` when the log cannot take that.
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
  const views = skillViews();
  const recorded = new WeakSet<McpCaller>();
  const serverFor = (caller: McpCaller) => mcpServer(deps, caller, views, () => recorded.add(caller));
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
  const listening = listeners();
  const legacy = sessions(serverFor);
  const watch = watchSkills(
    deps,
    () => legacy.areHeard() || bus.listenerCount > 0,
    () => {
      legacy.changed();
      modern.notify.toolsChanged();
      modern.notify.promptsChanged();
      modern.notify.resourcesChanged();
    },
  );
  const answer = async (request: Request, caller: McpCaller, body: unknown): Promise<Response> => {
    if (Array.isArray(body)) return refused(400, noBatches);
    if (await isLegacyRequest(request, body)) return legacy.fetch(request, caller, body);
    callers.set(request, caller);
    return modern.fetch(request, { parsedBody: body });
  };
  const listen = async (request: Request, caller: McpCaller, body: unknown): Promise<Response> => {
    const leave = listening.join(caller.actor);
    if (leave === undefined)
      return refused(429, 'this key listens often enough already; end one stream first');
    request.signal.addEventListener('abort', leave, { once: true });
    try {
      return whileKeyHolds(await answer(request, caller, body), caller, leave);
    } catch (error) {
      leave();
      throw error;
    }
  };
  return {
    async fetch(request, caller, body) {
      await watch.look();
      // An object of this request's own, by which is known what was recorded for it.
      const asking = { ...caller };
      const response = await (isOpenEnded(request, body) ? listen : answer)(request, asking, body);
      if (response.status >= 400 && !recorded.has(asking)) {
        const message = `the MCP endpoint answered with status ${response.status}`;
        const refusal = await recordRefused(deps, caller, `${request.method} /mcp`, {
          ...{ code: 'REQUEST_INVALID', message },
        });
        if (refusal instanceof Error) throw refusal;
      }
      return response;
    },
    async close() {
      watch.close();
      await Promise.all([modern.close(), legacy.close()]);
    },
  };
}

/** A batch would be many requests that count as one. Only the protocol of 2025-03-26 had them. */
const noBatches = 'send one message in each request: batches are not taken';

function refused(status: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code: -32_600, message }, id: null }, { status });
}

/** Whether the answer is a stream for whatever will happen, rather than what somebody asked for. */
function isOpenEnded({ method }: Request, body: unknown): boolean {
  return method === 'GET' || (body as { method?: unknown } | undefined)?.method === 'subscriptions/listen';
}
