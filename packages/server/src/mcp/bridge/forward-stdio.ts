import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  ProtocolErrorCode,
  type RequestId,
} from '@modelcontextprotocol/server';
import { type McpConnection, type McpStreams, stdioTransport } from '../stdio-streams.ts';
import { daemonSession } from './daemon-session.ts';
import { type FindDaemon, ForwardError } from './forward-error.ts';

/**
 * Speaks MCP with the client at the other ends of the streams by passing every message on to a daemon, and back what that
 * answers. What cannot be passed on is answered with an error that says what to do. A daemon that was started again is
 * found again, and a session begun anew there. `onFault` is told of what the client sent that is no message.
 */
export function forwardStdio(
  find: FindDaemon,
  streams: McpStreams,
  onFault: (cause: unknown) => void,
): McpConnection {
  const { transport: stdio, ended } = stdioTransport(streams);
  const daemon = daemonSession(find);
  const over = new AbortController();
  const open = new Map<RequestId, AbortController>();
  const tell = (message: JSONRPCMessage): Promise<void> => stdio.send(message).catch(() => undefined);

  const forward = async (request: JSONRPCRequest): Promise<void> => {
    const stop = new AbortController();
    open.set(request.id, stop);
    const signal = AbortSignal.any([stop.signal, over.signal]);
    try {
      let isAnswered = false;
      for await (const message of daemon.send(request, signal)) {
        isAnswered ||= isJSONRPCResponse(message);
        await tell(message);
      }
      if (!isAnswered) throw ForwardError.brokenOff();
    } catch (error) {
      // Nobody waits for the answer to what was canceled.
      if (!signal.aborted) await tell(errorAnswer(request.id, error));
    } finally {
      if (open.get(request.id) === stop) open.delete(request.id);
    }
  };

  let isListening = false;
  const listen = async (): Promise<void> => {
    if (isListening || over.signal.aborted) return;
    isListening = true;
    try {
      for await (const message of daemon.notices(over.signal)) await tell(message);
    } catch {
      // The next message that is passed on tries again, and says what is wrong.
    } finally {
      isListening = false;
    }
  };

  const pass = async (message: JSONRPCMessage): Promise<void> => {
    if (isJSONRPCRequest(message)) await forward(message);
    else if (isCancellation(message)) open.get(message.params.requestId)?.abort();
    // Nobody waits for an answer to a notification.
    else await drained(daemon.send(message, over.signal)).catch(() => undefined);
    await listen();
  };
  stdio.onmessage = (message) => void pass(message);
  stdio.onerror = onFault;
  void stdio.start();
  return {
    ended,
    async close() {
      over.abort();
      await daemon.close();
      await stdio.close();
    },
  };
}

interface Cancellation {
  params: { requestId: RequestId };
}

/** Ends the request at the daemon by hanging up, which in every version of the protocol comes after the request itself. */
function isCancellation(message: JSONRPCMessage): message is JSONRPCMessage & Cancellation {
  return isJSONRPCNotification(message) && message.method === 'notifications/cancelled';
}

async function drained(messages: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of messages);
}

function errorAnswer(id: RequestId, error: unknown): JSONRPCMessage {
  const { message, data } = error instanceof ForwardError ? error : ForwardError.brokenOff(error);
  return { jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InternalError, message, data } };
}
