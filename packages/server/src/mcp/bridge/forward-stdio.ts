import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  type RequestId,
} from '@modelcontextprotocol/server';
import { type LargeMessage, largeMessageMethod, type ProtocolFault } from '../request/large-message.ts';
import { type McpConnection, type McpStreams, stdioTransport } from '../stdio-streams.ts';
import { daemonSession } from './daemon-session.ts';
import { type FindDaemon, ForwardError } from './forward-error.ts';

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
  const { transport: stdio, ended } = stdioTransport(streams, messageBytesMax, (large) =>
    refuseAtDaemon(find, large, { restarts }),
  );
  const daemon = daemonSession(find, { restarts });
  const closed = new AbortController();
  const open = new Map<RequestId, AbortController>();
  const send = (message: JSONRPCMessage): Promise<void> => stdio.send(message).catch(() => undefined);

  const forward = async (request: JSONRPCRequest): Promise<void> => {
    const stop = new AbortController();
    open.set(request.id, stop);
    const signal = AbortSignal.any([stop.signal, closed.signal]);
    try {
      let isAnswered = false;
      for await (const message of daemon.send(request, signal)) {
        isAnswered ||= isJSONRPCResponse(message);
        await send(message);
      }
      if (!isAnswered) throw ForwardError.brokenOff();
    } catch (error) {
      // A canceled request gets no response.
      if (!signal.aborted) await send({ jsonrpc: '2.0', id: request.id, error: faultOf(error) });
    } finally {
      if (open.get(request.id) === stop) open.delete(request.id);
    }
  };

  let isListening = false;
  const listen = async (): Promise<void> => {
    if (isListening || closed.signal.aborted) return;
    isListening = true;
    try {
      for await (const message of daemon.notices(closed.signal)) await send(message);
    } catch {
      // The next forwarded message tries again and reports the error.
    } finally {
      isListening = false;
    }
  };

  const pass = async (message: JSONRPCMessage): Promise<void> => {
    if (isJSONRPCRequest(message)) await forward(message);
    else if (isCancellation(message)) open.get(message.params.requestId)?.abort();
    // A notification gets no response.
    else await drained(daemon.send(message, closed.signal)).catch(() => undefined);
    await listen();
  };
  stdio.onmessage = (message) => void pass(message);
  stdio.onerror = onFault;
  void stdio.start();
  return {
    ended,
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
  return isJSONRPCNotification(message) && message.method === 'notifications/cancelled';
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
    [PROTOCOL_VERSION_META_KEY]: '2026-07-28',
    [CLIENT_INFO_META_KEY]: { name: 'ambit mcp', version: '1' },
    [CLIENT_CAPABILITIES_META_KEY]: {},
  };
  const request: JSONRPCRequest = {
    jsonrpc: '2.0',
    id: 1,
    method: largeMessageMethod,
    params: { ...large, _meta },
  };
  try {
    const answers = daemonSession(find, options).send(request, AbortSignal.timeout(refusingMs));
    for await (const answer of answers) if (isJSONRPCErrorResponse(answer)) return answer.error;
    return faultOf(undefined);
  } catch (error) {
    return faultOf(error);
  }
}

function faultOf(error: unknown): ProtocolFault {
  const { message, code } = error instanceof ForwardError ? error : ForwardError.brokenOff(error);
  return { code: ProtocolErrorCode.InternalError, message, data: { code } };
}
