import type { JSONRPCMessage, JSONRPCRequest, RequestId } from '@modelcontextprotocol/server';
import { type LargeMessage, largeMessageMethod, type ProtocolFault } from '../large-message.ts';
import { daemonSession } from './daemon-session.ts';
import { type FindDaemon, ForwardError } from './forward-error.ts';
import { internalError, isErrorResponse, isRequest, isResponse, metaKeys } from './message.ts';
import { type McpConnection, type McpStreams, stdioMessages } from './stdio-streams.ts';

/**
 * Serves MCP over the streams by forwarding every message to a daemon, and its replies back. If
 * that fails, the client gets an error that says what to do. After a restart the daemon is found
 * again, with a new session. `onFault` gets input that is not a message.
 */
export function forwardStdio(
  find: FindDaemon,
  streams: McpStreams,
  onFault: (cause: unknown) => void,
  messageBytesMax: number,
  { restarts }: { restarts: boolean },
): McpConnection {
  const daemon = daemonSession(find, { restarts });
  const closed = new AbortController();
  const open = new Map<RequestId, AbortController>();

  const forward = async (request: JSONRPCRequest): Promise<void> => {
    const stop = new AbortController();
    open.set(request.id, stop);
    const signal = AbortSignal.any([stop.signal, closed.signal]);
    try {
      let isAnswered = false;
      for await (const message of daemon.send(request, signal)) {
        isAnswered ||= isResponse(message);
        await stdio.send(message);
      }
      if (!isAnswered) throw ForwardError.brokenOff();
    } catch (error) {
      // A canceled request gets no response.
      if (!signal.aborted) await stdio.send({ jsonrpc: '2.0', id: request.id, error: faultOf(error) });
    } finally {
      if (open.get(request.id) === stop) open.delete(request.id);
    }
  };

  let isListening = false;
  const listen = async (): Promise<void> => {
    if (isListening || closed.signal.aborted) return;
    isListening = true;
    try {
      for await (const message of daemon.notices(closed.signal)) await stdio.send(message);
    } catch {
      // The next forwarded message tries again and reports the error.
    } finally {
      isListening = false;
    }
  };

  const pass = async (message: JSONRPCMessage): Promise<void> => {
    if (isRequest(message)) await forward(message);
    else if (isCancellation(message)) open.get(message.params.requestId)?.abort();
    // A notification gets no response.
    else await drained(daemon.send(message, closed.signal)).catch(() => undefined);
    await listen();
  };
  const stdio = stdioMessages(streams, {
    messageBytesMax,
    onMessage: (message) => void pass(message),
    onFault,
    refuse: (large) => refuseAtDaemon(find, large, { restarts }),
  });
  return {
    ended: stdio.ended,
    async close() {
      closed.abort();
      await daemon.close();
      await stdio.close();
    },
  };
}

interface Cancellation {
  params: { requestId: RequestId };
}

/**
 * Whether a message cancels a request. Disconnecting cancels it at the daemon, in every version of the protocol.
 */
function isCancellation(message: JSONRPCMessage): message is JSONRPCMessage & Cancellation {
  return 'method' in message && message.method === 'notifications/cancelled';
}

async function drained(messages: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of messages);
}

const refusingMs = 30_000;

/** Has the daemon refuse and record a message that is too long to forward, in a request that needs no session. */
async function refuseAtDaemon(
  find: FindDaemon,
  large: LargeMessage,
  options: { restarts: boolean },
): Promise<ProtocolFault> {
  const _meta = {
    [metaKeys.version]: '2026-07-28',
    [metaKeys.client]: { name: 'ambit mcp', version: '1' },
    [metaKeys.capabilities]: {},
  };
  const request: JSONRPCMessage = {
    jsonrpc: '2.0',
    id: 1,
    method: largeMessageMethod,
    params: { ...large, _meta },
  };
  try {
    const answers = daemonSession(find, options).send(request, AbortSignal.timeout(refusingMs));
    for await (const answer of answers) if (isErrorResponse(answer)) return answer.error;
    return faultOf(undefined);
  } catch (error) {
    return faultOf(error);
  }
}

function faultOf(error: unknown): ProtocolFault {
  const { message, code } = error instanceof ForwardError ? error : ForwardError.brokenOff(error);
  return { code: internalError, message, data: { code } };
}
