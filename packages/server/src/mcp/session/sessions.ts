import { randomUUID } from 'node:crypto';
import { type McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { McpCaller } from '../request/mcp-deps.ts';
import { announce } from './watch-skills.ts';

/**
 * Sessions per actor. A new one replaces the session that was idle the longest, whose client opens
 * another.
 */
const sessionsMax = 64;

interface Session {
  caller: McpCaller;
  mcp: McpServer;
  transport: WebStandardStreamableHTTPServerTransport;
  /** Whether its client has a stream open for notifications. */
  hears: boolean;
  /** Whether a notification is pending until it opens one. */
  missed: boolean;
}

/** The sessions of clients that use a protocol version of 2025. */
export interface Sessions {
  /** Answers a request of such a client. Another actor's session is reported as missing. */
  fetch(request: Request, caller: McpCaller, body: unknown): Promise<Response>;
  /** Whether any client can be notified. */
  areHeard(): boolean;
  /** Notifies every client that its lists have changed. */
  changed(): void;
  close(): Promise<void>;
}

/** Creates the sessions; `serverFor` makes the server of each caller, `newSessionId` an id that cannot be guessed. */
export function sessions(
  serverFor: (caller: McpCaller) => McpServer,
  newSessionId: () => string = randomUUID,
): Sessions {
  // In order of their last request.
  const open = new Map<string, Session>();

  const begin = async (caller: McpCaller): Promise<Session> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: newSessionId,
      onsessioninitialized: (id) => {
        open.set(id, session);
      },
    });
    const session: Session = {
      caller,
      mcp: serverFor(caller),
      transport,
      hears: false,
      missed: false,
    };
    await session.mcp.connect(transport);
    const forget = transport.onclose;
    transport.onclose = () => {
      if (transport.sessionId !== undefined) open.delete(transport.sessionId);
      forget?.();
    };
    return session;
  };

  const makeRoom = async ({ actor }: McpCaller): Promise<void> => {
    const own = [...open.values()].filter(({ caller }) => caller.actor === actor);
    await Promise.all(own.slice(0, Math.max(0, own.length - sessionsMax)).map(({ mcp }) => mcp.close()));
  };

  return {
    async fetch(request, caller, body) {
      const id = request.headers.get('mcp-session-id');
      if (id !== null) {
        const session = open.get(id);
        if (session === undefined || session.caller.actor !== caller.actor) return noSession();
        open.delete(id);
        open.set(id, session);
        // The key's current rights, not those when the session began.
        Object.assign(session.caller, caller);
        const response = await session.transport.handleRequest(request, { parsedBody: body });
        if (request.method === 'GET' && response.ok) hear(session, request.signal);
        return response;
      }
      const session = await begin({ ...caller });
      const response = await session.transport.handleRequest(request, { parsedBody: body });
      // Anything but `initialize`.
      if (session.transport.sessionId === undefined) await session.mcp.close();
      else await makeRoom(caller);
      return response;
    },
    areHeard: () => [...open.values()].some(({ hears }) => hears),
    changed() {
      for (const session of open.values()) {
        if (session.hears) announce(session.mcp);
        else session.missed = true;
      }
    },
    async close() {
      await Promise.all([...open.values()].map(({ mcp }) => mcp.close()));
    },
  };
}

function hear(session: Session, gone: AbortSignal): void {
  session.hears = true;
  gone.addEventListener('abort', () => (session.hears = false), { once: true });
  if (session.missed) announce(session.mcp);
  session.missed = false;
}

/** The response that makes a client start a new session. */
function noSession(): Response {
  return Response.json(
    {
      jsonrpc: '2.0',
      error: { code: -32_001, message: 'the session does not exist or has ended; start a new one' },
      id: null,
    },
    { status: 404 },
  );
}
