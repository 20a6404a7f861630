import { z } from 'zod';
import { ProxyError } from '../egress/call/refusal.ts';
import type { CallProxy } from '../egress/call-proxy.ts';
import type { ProxyResponse } from '../egress/call-request.ts';

/** A skill's request: `body` is text, `base64` bytes. */
const HttpRequest = z.strictObject({
  method: z.string().default('GET'),
  url: z.string(),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().optional(),
  base64: z.base64().optional(),
});

/** A failed request; its message is for the skill. */
export class HttpFailed extends Error {}

/**
 * Makes one request of a WASM skill through its call's proxy. Redirects are returned as responses.
 */
export async function httpAnswer(proxy: CallProxy, asked: unknown): Promise<ProxyResponse> {
  const parsed = HttpRequest.safeParse(asked);
  if (!parsed.success) {
    throw new HttpFailed('http_request takes { method, url, headers, body } with string values');
  }
  const { method, url, headers, body = '', base64 } = parsed.data;
  const bytes = base64 === undefined ? Buffer.from(body) : Buffer.from(base64, 'base64');
  try {
    return await proxy.request({ method, url, headers, body: bytes });
  } catch (error) {
    if (error instanceof ProxyError) throw new HttpFailed(error.message, { cause: error });
    throw error;
  }
}
