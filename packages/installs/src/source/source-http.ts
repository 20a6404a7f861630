import {
  type CallProxy,
  followRedirects,
  ProxyError,
  ProxyRefusal,
  type ProxyRequest,
  type ProxyResponse,
  RedirectError,
  ResponseTooLarge,
} from '@ambit/runtime';
import { InstallError } from '../install-error.ts';
import { fetchMs, type InstallNetwork, networkOf, notAllowed } from './install-network.ts';

/** Requests for one source, all through the egress proxy. They reject with an `InstallError`. */
export interface SourceHttp {
  /** Follows redirects. Resolves to an answer with any other status. `bytesMax` is for its body. */
  get(
    url: string,
    options?: { bytesMax?: number; accept?: string; authorization?: string | undefined },
  ): Promise<ProxyResponse>;
  /** The body of an answer with status 200. */
  fetch(url: string, options?: { bytesMax?: number }): Promise<Uint8Array>;
  /** Follows no redirect. */
  send(request: Omit<ProxyRequest, 'responseBytesMax'>, bytesMax: number): Promise<ProxyResponse>;
  /** Ends after `fetchMs`, or when the caller cancels. */
  signal: AbortSignal;
}

/**
 * Makes requests while `use` runs, at most for `fetchMs` together. `open` opens the proxy,
 * and `refusal` says how to allow a host; by default by `installs.network`.
 */
export async function withSourceHttp<Result>(
  options: InstallNetwork & { signal: AbortSignal },
  use: (http: SourceHttp) => Promise<Result>,
  {
    open = networkOf,
    refusal = notAllowed,
  }: { open?: (options: InstallNetwork) => Promise<CallProxy>; refusal?: typeof notAllowed } = {},
): Promise<Result> {
  const { signal: caller } = options;
  const timeout = AbortSignal.timeout(fetchMs);
  const signal = AbortSignal.any([caller, timeout]);
  const proxy = await open(options);
  signal.addEventListener('abort', proxy.close, { once: true });
  const asked = async <Answer>(url: string, bytesMax: number, answer: Promise<Answer>): Promise<Answer> => {
    try {
      return await answer;
    } catch (cause) {
      if (timeout.aborted)
        throw new InstallError('SOURCE_UNREACHABLE', `${url} took longer than ${fetchMs / 1000} s`, {
          cause,
        });
      throw failed(url, bytesMax, cause, refusal);
    }
  };
  const get: SourceHttp['get'] = (url, { bytesMax = Number.POSITIVE_INFINITY, ...headers } = {}) =>
    asked(url, bytesMax, followRedirects(proxy, new URL(url), { ...headers, responseBytesMax: bytesMax }));
  try {
    signal.throwIfAborted();
    return await use({
      signal,
      get,
      async fetch(url, bounds) {
        const { status, body } = await get(url, bounds);
        if (status === 200) return body;
        throw new InstallError('SOURCE_UNREACHABLE', `${url} was answered with status ${status}`);
      },
      send: (request, bytesMax) =>
        asked(request.url, bytesMax, proxy.request({ ...request, responseBytesMax: bytesMax })),
    });
  } catch (error) {
    caller.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', proxy.close);
    proxy.close();
  }
}

function failed(url: string, bytesMax: number, cause: unknown, refusal: typeof notAllowed): unknown {
  if (cause instanceof ProxyRefusal) return refusal(cause.denial);
  if (cause instanceof RedirectError)
    return new InstallError('SOURCE_UNREACHABLE', `${url} ${cause.message}`, { cause });
  if (cause instanceof ResponseTooLarge)
    return new InstallError(
      'SOURCE_TOO_LARGE',
      `${url} has more than ${Number.isFinite(bytesMax) ? bytesMax : 'the allowed'} bytes`,
      { cause },
    );
  if (cause instanceof ProxyError)
    return new InstallError(
      'SOURCE_UNREACHABLE',
      `cannot fetch ${url}: ${cause.message.replace(/^Ambit: /, '')}`,
      { cause },
    );
  return cause;
}
