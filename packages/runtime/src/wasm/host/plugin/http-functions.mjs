/** @import { CallContext } from '@extism/extism' */

/**
 * Extism's HTTP functions, through the daemon. A request is a block with `{ url, method, headers }`
 * and optionally a second block with its body. The response's body is a block; status and headers
 * have their own functions. A request that fails or is not granted ends the call with the reason.
 *
 * @param {CallContext} context
 * @param {(context: CallContext, bytes: Uint8Array) => bigint} store
 * @param {(name: string, args: unknown[]) => unknown} invoke
 */
export function httpFunctions(context, store, invoke) {
  /** @type {{ status: number, headers: Record<string, string>, text?: string, base64?: string }} */
  let last = { status: 0, headers: {} };
  return {
    http_request: (/** @type {bigint} */ requestAt, /** @type {bigint} */ bodyAt) => {
      const { url, method = 'GET', headers = {} } = JSON.parse(context.read(requestAt)?.string() ?? '{}');
      const body = bodyAt === 0n ? undefined : context.read(bodyAt)?.bytes();
      /** @type {{ url: string, method: string, headers: object, base64?: string }} */
      const request = { url, method, headers };
      if (body !== undefined) request.base64 = Buffer.from(body).toString('base64');
      last = /** @type {typeof last} */ (invoke('http_request', [request]));
      const { text, base64 = '' } = last;
      return store(context, text === undefined ? Buffer.from(base64, 'base64') : Buffer.from(text));
    },
    http_status_code: () => last.status,
    http_headers: () => store(context, Buffer.from(JSON.stringify(last.headers))),
  };
}
