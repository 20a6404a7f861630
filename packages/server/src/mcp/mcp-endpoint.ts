import {
  createMcpHandler,
  InMemoryServerEventBus,
  isLegacyRequest,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { mcpServer, skillViews } from './mcp-server.ts';
import type { McpCaller, McpDeps } from './request/mcp-deps.ts';
import { recordRefused } from './request/refused.ts';
import { listeners } from './session/listeners.ts';
import { sessions } from './session/sessions.ts';
import { watchSkills } from './session/watch-skills.ts';
import { whileKeyHolds } from './session/while-key-holds.ts';

/** MCP over streamable HTTP, after authentication. */
export interface McpEndpoint {
  /**
   * Answers a request of `caller` with the parsed `body`; `undefined` for none. The request's
   * signal aborts when the client disconnects. Every refusal has a record; rejects with
   * `AUDIT_UNAVAILABLE` if it cannot be written.
   */
  fetch(request: Request, caller: McpCaller, body: unknown): Promise<Response>;
  /** Ends all streams and sessions. */
  close(): Promise<void>;
}

/**
 * The endpoint at `/mcp`. It supports protocol version 2026-07-28, with independent requests, and
 * the versions of 2025, with sessions. All have the same tools, prompts and resources.
 */
export function mcpEndpoint(deps: McpDeps): McpEndpoint {
  const views = skillViews();
  /** The protocol error code of a refused request, by its own caller object. */
  const recorded = new WeakMap<McpCaller, number>();
  const serverFor = (caller: McpCaller) =>
    mcpServer(deps, caller, views, (code) => recorded.set(caller, code));
  const callers = new WeakMap<Request, McpCaller>();
  const bus = new InMemoryServerEventBus();
  const modern = createMcpHandler(
    ({ requestInfo }) => {
      const caller = requestInfo === undefined ? undefined : callers.get(requestInfo);
      if (caller === undefined) throw new Error('a request without a caller');
      return serverFor(caller);
    },
    { legacy: 'reject', bus },
  );
  const listening = listeners();
  const legacy = sessions(serverFor, deps.newSessionId);
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
    const response = await modern.fetch(request, { parsedBody: body });
    // The SDK does this for errors that it sends synchronously; Ambit's wait for their record.
    return recorded.get(caller) === ProtocolErrorCode.MethodNotFound && response.status === 200
      ? new Response(response.body, { status: 404, headers: response.headers })
      : response;
  };
  const listen = async (request: Request, caller: McpCaller, body: unknown): Promise<Response> => {
    const leave = listening.join(caller.actor);
    if (leave === undefined)
      return refused(
        429,
        'this key already has the maximum number of streams for notifications; end one and try again',
      );
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
      // A copy for this request, as the key for what was recorded.
      const asking = { ...caller };
      const response = await (isOpenEnded(request, body) ? listen : answer)(request, asking, body);
      if (response.status >= 400 && !recorded.has(asking)) {
        const message = `the MCP endpoint returned status ${response.status}`;
        const refusal = await recordRefused(deps, caller, `${request.method} /mcp`, {
          code: 'REQUEST_INVALID',
          message,
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

/** A batch would be many requests that count as one. Only version 2025-03-26 had batches. */
const noBatches = 'batches are not supported; send one message per request';

function refused(status: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code: -32_600, message }, id: null }, { status });
}

/** Whether the response is an open stream for notifications instead of the response to a call. */
function isOpenEnded({ method }: Request, body: unknown): boolean {
  return method === 'GET' || (body as { method?: unknown } | undefined)?.method === 'subscriptions/listen';
}
