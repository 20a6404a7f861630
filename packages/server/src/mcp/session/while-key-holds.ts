import type { McpCaller } from '../mcp-deps.ts';

/**
 * An answer that goes on for as long as its client likes, cut off once the key is not good any more: nothing is told
 * after that, and the stream ends with the next beat, which comes every 15 seconds.
 */
export function whileKeyHolds(response: Response, { holds }: Pick<McpCaller, 'holds'>): Response {
  const { body, status, headers } = response;
  if (body === null) return response;
  const gate = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, stream) {
      if (holds()) stream.enqueue(chunk);
      else stream.terminate();
    },
  });
  return new Response(body.pipeThrough(gate), { status, headers });
}
