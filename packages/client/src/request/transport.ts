import { AmbitError } from '../failure/ambit-error.ts';
import { textOf } from './body-of.ts';
import { endOf, type RequestOptions } from './end-of.ts';
import type { Fetch, FetchResponse } from './fetch.ts';
import { parseBody } from './parse-body.ts';
import { problemIn } from './problem-in.ts';
import { type RequestInput, requestOf } from './request-input.ts';
import { type Retries, withRetries } from './retries.ts';
import type { ResponseBody, ResponseField, Route } from './routes.ts';

/** Options for sending a request. */
export interface SendOptions extends RequestOptions {
  /** Whether repeating the request is safe. */
  isRepeatable: boolean;
}

/** Sends requests to one daemon. */
export interface Transport {
  readonly url: string;
  readonly retries: Retries;
  readonly answerBytesMax: number;
  /**
   * The JSON of the response. JSON without `field`, if one is given, is not from Ambit. Rejects
   * with an `AmbitProblem`, an `AmbitError`, or the reason of the signal.
   */
  json<Name extends Route>(
    route: Name,
    field: ResponseField<Name> | undefined,
    given: RequestInput<Name>,
    options: SendOptions,
  ): Promise<ResponseBody<Name>>;
  /** A successful response with its body unread. Rejects in the same way. */
  open<Name extends Route>(
    route: Name,
    given: RequestInput<Name>,
    options: SendOptions,
  ): Promise<FetchResponse>;
  /** The result of `read` on such a response. If the body is truncated, the request fails. */
  read<Name extends Route, Result>(
    route: Name,
    given: RequestInput<Name>,
    options: SendOptions,
    read: (response: FetchResponse, bytesMax: number) => Promise<Result>,
  ): Promise<Result>;
}

/** The configuration of a transport. */
export interface TransportOptions {
  url: string;
  key: string | undefined;
  fetch: Fetch;
  retries: Retries;
  /** The maximum size of a response, and of an event or line in a stream. */
  answerBytesMax: number;
}

/** Creates a transport to one daemon. Does not connect by itself. */
export function transport({ fetch, retries, answerBytesMax, ...daemon }: TransportOptions): Transport {
  const send = async <Name extends Route, Result>(
    route: Name,
    given: RequestInput<Name>,
    { isRepeatable, ...options }: SendOptions,
    read: (response: FetchResponse, bytesMax: number) => Promise<Result>,
  ): Promise<Result> => {
    const { address, init } = requestOf(daemon, route, given);
    const ended = endOf(options);
    const attempt = async (): Promise<Result> => {
      try {
        const response = await fetch(address, { ...init, signal: ended ?? null });
        if (!response.ok) throw await problemIn(response, answerBytesMax);
        return await read(response, answerBytesMax);
      } catch (error) {
        throw failureOf(error, ended, address);
      }
    };
    return isRepeatable ? withRetries(attempt, retries, ended) : attempt();
  };
  return {
    url: daemon.url,
    retries,
    answerBytesMax,
    json: (route, field, given, options) =>
      send(route, given, options, async (response, bytesMax) =>
        parseBody(await textOf(response, bytesMax), response.url, field),
      ),
    open: (route, given, options) => send(route, given, options, async (response) => response),
    read: send,
  };
}

/** Converts errors of `fetch` and of reading a body. */
export function failureOf(error: unknown, ended: AbortSignal | undefined, address: string): unknown {
  if (ended?.aborted) return ended.reason;
  // Network failures are all `TypeError`s.
  if (!(error instanceof TypeError)) return error;
  const why = error.cause instanceof Error ? error.cause.message : error.message;
  return new AmbitError(
    'UNREACHABLE',
    `nothing answers at ${address} (${why}): start the daemon, or check the address`,
    { cause: error },
  );
}
