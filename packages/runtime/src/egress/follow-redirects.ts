import type { CallProxy } from './call-proxy.ts';
import type { ProxyRequest, ProxyResponse } from './call-request.ts';

const redirectsMax = 5;

/** Says why a redirect is not followed, as the rest of a sentence that begins with the fetched address. */
export class RedirectError extends Error {
  override readonly name = 'RedirectError';
}

/**
 * Fetches a URL with GET and follows redirects. The proxy checks each request like the first one. `authorization` is sent to
 * the origin of the URL alone. Throws a `RedirectError` for a redirect from TLS to plain HTTP, without a valid location, or
 * after five others; and what `request` throws.
 */
export async function followRedirects(
  call: Pick<CallProxy, 'request'>,
  first: URL,
  {
    accept = '*/*',
    authorization,
    ...bounds
  }: { accept?: string; authorization?: string | undefined } & Pick<ProxyRequest, 'responseBytesMax'> = {},
): Promise<ProxyResponse> {
  let url = first;
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    url.hash = '';
    const isFirst = authorization !== undefined && url.origin === first.origin;
    const response = await call.request({
      ...bounds,
      method: 'GET',
      url: url.href,
      headers: isFirst ? { accept, authorization } : { accept },
      body: new Uint8Array(),
    });
    const next = redirectOf(response, url);
    if (next === undefined) return response;
    if (url.protocol === 'https:' && next.protocol !== 'https:')
      throw new RedirectError(`redirects from https:// to ${next.origin}`);
    url = next;
  }
  throw new RedirectError(`redirects more than ${redirectsMax} times`);
}

function redirectOf({ status, headers }: ProxyResponse, url: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined;
  const location = headers['location'] ?? '';
  if (!URL.canParse(location, url.href))
    throw new RedirectError(`returned status ${status} without a valid Location`);
  return new URL(location, url.href);
}
