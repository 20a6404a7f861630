import type { McpCaller } from '../request/mcp-deps.ts';

/**
 * A stream that is cut off when its key is no longer valid: nothing more is sent, and the stream
 * ends at the next heartbeat, which is every 15 seconds. Calls `ended` when the response ends by
 * itself; a disconnected client is reported by the request.
 */
export function whileKeyHolds(
  response: Response,
  { holds }: Pick<McpCaller, 'holds'>,
  ended: () => void = () => undefined,
): Response {
  const { body, status, headers } = response;
  if (body === null) {
    ended();
    return response;
  }
  const gate = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, stream) {
      if (holds()) stream.enqueue(chunk);
      else {
        stream.terminate();
        ended();
      }
    },
    flush: ended,
  });
  return new Response(body.pipeThrough(gate), { status, headers });
}
