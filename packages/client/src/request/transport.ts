import { answerFields } from '../api/generated.ts';
import type { AnswerOf, OperationId } from '../api/operation.ts';
import { AmbitError } from '../failure/ambit-error.ts';
import { problemIn } from '../failure/problem-in.ts';
import { textOf } from './body-of.ts';
import { endOf, type RequestOptions } from './end-of.ts';
import { parseBody } from './parse-body.ts';
import { type RequestInput, requestOf } from './request-input.ts';
import { type Retries, withRetries } from './retries.ts';

/** How the requests of a route are made. */
export interface SendOptions extends RequestOptions {
  /** Whether sending it twice does no more than sending it once. */
  isRepeatable: boolean;
}

/** Speaks with one daemon. */
export interface Transport {
  readonly url: string;
  readonly retries: Retries;
  readonly answerBytesMax: number;
  /** The JSON of the answer. Rejects with an `AmbitProblem`, an `AmbitError`, or the reason of the signal. */
  json<Id extends OperationId>(id: Id, given: RequestInput<Id>, options: SendOptions): Promise<AnswerOf<Id>>;
  /** The answer, when it is a success, with its body unread. Rejects alike. */
  open<Id extends OperationId>(id: Id, given: RequestInput<Id>, options: SendOptions): Promise<Response>;
  /** What `read` makes of such an answer; what it throws because the body breaks off is a failure of the request. */
  read<Id extends OperationId, Result>(
    id: Id,
    given: RequestInput<Id>,
    options: SendOptions,
    read: (response: Response, bytesMax: number) => Promise<Result>,
  ): Promise<Result>;
}

/** What requests are made with. */
export interface TransportOptions {
  url: string;
  key: string | undefined;
  fetch: typeof fetch;
  retries: Retries;
  /** No answer is read that is longer, and no event or line of one that has many. */
  answerBytesMax: number;
}

/** The way to one daemon. Makes no connection by itself. */
export function transport({ fetch, retries, answerBytesMax, ...daemon }: TransportOptions): Transport {
  const send = async <Id extends OperationId, Result>(
    id: Id,
    given: RequestInput<Id>,
    { isRepeatable, ...options }: SendOptions,
    read: (response: Response, bytesMax: number) => Promise<Result>,
  ): Promise<Result> => {
    const { address, init } = requestOf(daemon, id, given);
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
    ...{ url: daemon.url, retries, answerBytesMax },
    json: (id, given, options) =>
      send(id, given, options, async (response, bytesMax) =>
        parseBody(await textOf(response, bytesMax), response.url, answerFields[id]),
      ),
    open: (id, given, options) => send(id, given, options, async (response) => response),
    read: send,
  };
}

/** What `fetch` and the reading of a body throw, in our words. */
export function failureOf(error: unknown, ended: AbortSignal | undefined, address: string): unknown {
  if (ended?.aborted) return ended.reason;
  // Whatever the network does comes as one of these.
  if (!(error instanceof TypeError)) return error;
  const { cause } = error as { cause?: { message?: unknown } };
  const why = String(cause?.message ?? error.message);
  return new AmbitError(
    'UNREACHABLE',
    `nothing answers at ${address} (${why}): start the daemon, or check the address`,
    { cause: error },
  );
}
