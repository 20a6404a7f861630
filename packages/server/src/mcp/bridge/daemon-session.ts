import type { IncomingMessage } from 'node:http';
import { isJSONRPCRequest, type JSONRPCMessage, type JSONRPCRequest } from '@modelcontextprotocol/server';
import { type DaemonAccess, type FindDaemon, ForwardError } from './forward-error.ts';
import { messagesIn } from './messages-in.ts';
import { requestDaemon, type Session } from './request-daemon.ts';

/** A client's connection to the daemon, made of one HTTP request per message. */
export interface DaemonSession {
  /**
   * Forwards a message and yields the replies. Rejects with a `ForwardError`, or with the signal's
   * reason.
   */
  send(message: JSONRPCMessage, signal: AbortSignal): AsyncIterable<JSONRPCMessage>;
  /**
   * Notifications from the daemon; none without a session. Ends when the daemon ends the stream.
   */
  notices(signal: AbortSignal): AsyncIterable<JSONRPCMessage>;
  /** Ends the session, if any. Never rejects. */
  close(): Promise<void>;
}

const closingMs = 2000;
const beginningMs = 30_000;

/**
 * Supports both modes of the protocol: with a session, or with independent requests. Looks up the
 * daemon for each request, so that the key is never sent to another program on its port.
 */
export function daemonSession(find: FindDaemon): DaemonSession {
  let session: Session = {};
  /** The client's `initialize` request, repeated for a daemon that does not know the session. */
  let initialize: JSONRPCRequest | undefined;
  let restarting: Promise<void> | undefined;

  const restart = async (begin: JSONRPCRequest): Promise<void> => {
    const signal = AbortSignal.timeout(beginningMs);
    const answer = await asked(await required(find), begin, {}, signal);
    for await (const message of messagesIn(answer, begin)) session = sessionOf(answer, message) ?? session;
    const begun = { jsonrpc: '2.0', method: 'notifications/initialized' } as const;
    (await asked(await required(find), begun, session, signal)).resume();
  };

  const restarted = (begin: JSONRPCRequest): Promise<void> => {
    restarting ??= restart(begin).finally(() => {
      restarting = undefined;
    });
    return restarting;
  };

  return {
    async *send(message, signal) {
      if (isJSONRPCRequest(message) && message.method === 'initialize') {
        initialize = message;
        session = {};
      }
      let answer = await asked(await required(find), message, session, signal);
      // The daemon was restarted or has dropped the session, and has not processed the message.
      if (answer.statusCode === 404 && session.id !== undefined && initialize !== undefined) {
        answer.resume();
        await restarted(initialize);
        answer = await asked(await required(find), message, session, signal);
      }
      for await (const each of messagesIn(answer, message)) {
        if (message === initialize) session = sessionOf(answer, each) ?? session;
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
    // A socket of a stopped daemon is gone.
    const isUnsent = ['ECONNREFUSED', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '');
    throw isUnsent ? ForwardError.stopped() : ForwardError.brokenOff(error);
  }
}

/** The session that the response to `initialize` started, if any. */
function sessionOf({ headers }: IncomingMessage, message: JSONRPCMessage): Session | undefined {
  const id = headers['mcp-session-id'];
  if (typeof id !== 'string' || !('result' in message)) return undefined;
  const version = message.result['protocolVersion'];
  return { id, version: typeof version === 'string' ? version : undefined };
}
