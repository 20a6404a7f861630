import type { IncomingMessage } from 'node:http';
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/server';
import { type DaemonAccess, type FindDaemon, ForwardError } from './forward-error.ts';
import { isRequest } from './message.ts';
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

/** Each attempt meets another daemon that ends at that moment. */
const attemptsMax = 3;

const beginningMs = 30_000;

/**
 * Supports both modes of the protocol: with a session, or with independent requests. Looks up the
 * daemon for each request, so that the key is never sent to another program on its port. `restarts`: whether `find` starts
 * the next daemon when one has ended; a message that has not run is then sent to that.
 */
export function daemonSession(find: FindDaemon, { restarts }: { restarts: boolean }): DaemonSession {
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

  const sendOnce = async function* (
    message: JSONRPCMessage,
    signal: AbortSignal,
  ): AsyncGenerator<JSONRPCMessage> {
    if (isRequest(message) && message.method === 'initialize') {
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
  };

  return {
    async *send(message, signal) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return yield* sendOnce(message, signal);
        } catch (error) {
          const isUnsent = error instanceof ForwardError && error.isForNextDaemon;
          if (!restarts || !isUnsent || attempt === attemptsMax) throw error;
        }
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
      const end = async (): Promise<void> => {
        const daemon = await find({ onlyRunning: true });
        if (daemon !== undefined) (await requestDaemon(daemon, 'DELETE', session, signal)).resume();
      };
      await end().catch(() => undefined);
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
