import type { McpCaller } from '../mcp-deps.ts';

/**
 * An answer that goes on for as long as its client likes, cut off once the key is not good any more: nothing is told
 * after that, and the stream ends with the next beat, which comes every 15 seconds. Calls `ended` when the answer has
 * ended by itself; that its client has gone, the request knows.
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
