import type { IncomingMessage } from 'node:http';
import { isJSONRPCRequest, type JSONRPCMessage, type JSONRPCRequest } from '@modelcontextprotocol/server';
import { type DaemonAccess, type FindDaemon, ForwardError } from './forward-error.ts';
import { messagesIn } from './messages-in.ts';
import { requestDaemon, type Session } from './request-daemon.ts';

/** The one connection that a client seems to have, over as many requests as it takes. */
export interface DaemonSession {
  /** Passes a message on; what comes back for it. Rejects with a `ForwardError`, or because of the signal. */
  send(message: JSONRPCMessage, signal: AbortSignal): AsyncIterable<JSONRPCMessage>;
  /** What the daemon says unasked; nothing where the client has no session. Ends when the daemon ends it. */
  notices(signal: AbortSignal): AsyncIterable<JSONRPCMessage>;
  /** Ends the session where there is one. Never rejects. */
  close(): Promise<void>;
}

const closingMs = 2000;
const beginningMs = 30_000;

/**
 * Follows a client through both ways of the protocol: with a session, or with every request for itself. The daemon is
 * looked for each time, so that no key is ever sent to whatever else listens where one was before.
 */
export function daemonSession(find: FindDaemon): DaemonSession {
  let session: Session = {};
  /** How the client began, to begin in the same way with a daemon that does not know it. */
  let beginning: JSONRPCRequest | undefined;
  let renewing: Promise<void> | undefined;

  const renew = async (begin: JSONRPCRequest): Promise<void> => {
    const signal = AbortSignal.timeout(beginningMs);
    const answer = await asked(await required(find), begin, {}, signal);
    for await (const message of messagesIn(answer, begin)) session = sessionOf(answer, message) ?? session;
    const begun = { jsonrpc: '2.0', method: 'notifications/initialized' } as const;
    (await asked(await required(find), begun, session, signal)).resume();
  };

  const renewed = (begin: JSONRPCRequest): Promise<void> => {
    renewing ??= renew(begin).finally(() => {
      renewing = undefined;
    });
    return renewing;
  };

  return {
    async *send(message, signal) {
      if (isJSONRPCRequest(message) && message.method === 'initialize') {
        beginning = message;
        session = {};
      }
      let answer = await asked(await required(find), message, session, signal);
      // A daemon that was started since, or has forgotten the session: it has not looked at the message.
      if (answer.statusCode === 404 && session.id !== undefined && beginning !== undefined) {
        answer.resume();
        await renewed(beginning);
        answer = await asked(await required(find), message, session, signal);
      }
      for await (const each of messagesIn(answer, message)) {
        if (message === beginning) session = sessionOf(answer, each) ?? session;
        yield each;
      }
    },
    async *notices(signal) {
      if (session.id === undefined) return;
      const answer = await requestDaemon(await required(find), 'GET', session, signal);
      if (answer.statusCode === 200) yield* messagesIn(answer, undefined);
      else answer.resume();
    },
    async close() {
      if (session.id === undefined) return;
      const signal = AbortSignal.timeout(closingMs);
      const ended = required(find).then((daemon) => requestDaemon(daemon, 'DELETE', session, signal));
      await ended.then((answer) => answer.resume()).catch(() => undefined);
    },
  };
}

async function required(find: FindDaemon): Promise<DaemonAccess> {
  const daemon = await find().catch((error: unknown) => {
    throw ForwardError.unfound(error);
  });
  if (daemon === undefined) throw ForwardError.stopped();
  return daemon;
}

async function asked(
  daemon: DaemonAccess,
  message: JSONRPCMessage,
  session: Session,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  try {
    return await requestDaemon(daemon, 'POST', session, signal, message);
  } catch (error) {
    const isUnheard = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
    throw isUnheard ? ForwardError.stopped() : ForwardError.brokenOff(error);
  }
}

/** What the answer to a client's beginning says of its session. */
function sessionOf({ headers }: IncomingMessage, message: JSONRPCMessage): Session | undefined {
  const id = headers['mcp-session-id'];
  if (typeof id !== 'string' || !('result' in message)) return undefined;
  const version = message.result['protocolVersion'];
  return { id, ...(typeof version === 'string' ? { version } : {}) };
}
