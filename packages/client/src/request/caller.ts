import { anyOf, type RequestOptions } from './end-of.ts';
import type { FetchResponse } from './fetch.ts';
import type { RequestInput } from './request-input.ts';
import type { ResponseBody, ResponseField, Route } from './routes.ts';
import type { Transport } from './transport.ts';

/** The parts that all groups of methods use. */
export interface Caller {
  readonly transport: Transport;
  readonly silenceMs: number;
  /** Adds the client's signal. */
  within<Options extends RequestOptions>(options: Options): Options;
  /**
   * The response of a route that is safe to repeat, within the client's timeout unless `options`
   * has one.
   */
  get<Name extends Route>(
    route: Name,
    field: ResponseField<Name>,
    given: RequestInput<Name>,
    options: RequestOptions | undefined,
  ): Promise<ResponseBody<Name>>;
  /** The same for a response that is not JSON: the result of `read`. */
  getAs<Name extends Route, Result>(
    route: Name,
    given: RequestInput<Name>,
    options: RequestOptions | undefined,
    read: (response: FetchResponse, bytesMax: number) => Promise<Result>,
  ): Promise<Result>;
}

/**
 * Creates what methods need for requests. `signal` aborts all of them, in addition to each
 * request's own.
 */
export function callerOf(
  transport: Transport,
  { signal, timeoutMs, silenceMs }: RequestOptions & { silenceMs: number },
): Caller {
  const within: Caller['within'] = (options) => ({ ...options, signal: anyOf(signal, options.signal) });
  const sent = (options: RequestOptions = {}) => ({ timeoutMs, ...within(options), isRepeatable: true });
  return {
    transport,
    silenceMs,
    within,
    get: (route, field, given, options) => transport.json(route, field, given, sent(options)),
    getAs: (route, given, options, read) => transport.read(route, given, sent(options), read),
  };
}
