import type { AmbitError } from '../failure/ambit-error.ts';
import { notAmbit } from '../failure/ambit-error.ts';
import { endOf, type RequestOptions } from '../request/end-of.ts';
import type { FetchResponse } from '../request/fetch.ts';
import type { ResponseBody } from '../request/routes.ts';
import type { Transport } from '../request/transport.ts';
import { type Resumable, resumableEvents } from '../stream/resumable-events.ts';
import type { CallAnswer } from './call-answer.ts';
import { type CallEvent, callEvent, isLastOfCall } from './call-event.ts';
import { abandonCall } from './executions.ts';
import { type CallRequest, type CallRoute, requestEvents } from './request-call.ts';

/** Options for reading events. */
export interface StreamOptions extends RequestOptions {
  /** A stream that is silent for this long counts as interrupted. */
  silenceMs: number;
}

/**
 * The events of a call. Resumes an interrupted stream. Leaving the loop early, or aborting, cancels
 * the call. Throws the problem if the call is refused.
 */
export async function* callStream<Name extends CallRoute>(
  transport: Transport,
  call: CallRequest<Name>,
  key: string | undefined,
  { silenceMs, ...options }: StreamOptions,
): AsyncGenerator<CallEvent<ResponseBody<Name>>> {
  const signal = endOf(options);
  let id: string | undefined;
  let isLeft = true;
  const stream: Resumable = {
    isRepeatable: key !== undefined,
    isLast: isLastOfCall,
    async open(after, ended) {
      if (id !== undefined) return goOn(transport, id, after, ended);
      const response = await requestEvents(transport, call, key, { signal: ended });
      id = response.headers.get('location')?.split('/').at(-1) || undefined;
      // Without an execution id the stream cannot be resumed, and without a key a second request is
      // a second call.
      if (id === undefined && key === undefined) throw await unnamed(response);
      return response;
    },
  };
  try {
    for await (const event of resumableEvents(stream, { ...transport, silenceMs, signal })) {
      if (isLastOfCall(event)) isLeft = false;
      const converted = callEvent<ResponseBody<Name>>(event, transport.url);
      if (converted !== undefined) yield converted;
    }
    isLeft = false;
  } catch (error) {
    isLeft = signal?.aborted === true;
    throw error;
  } finally {
    if (isLeft && id !== undefined) await abandonCall(transport, id);
  }
}

/** The error for a response that does not name its call. Releases the body. */
async function unnamed({ body, url }: FetchResponse): Promise<AmbitError> {
  await body?.cancel().catch(() => undefined);
  return notAmbit(url);
}

/**
 * The events of an existing call, from the first stored event on. Leaving the loop does not affect
 * the call.
 */
export async function* watchedCall(
  transport: Transport,
  id: string,
  { silenceMs, ...options }: StreamOptions,
): AsyncGenerator<CallEvent> {
  const stream: Resumable = {
    isRepeatable: true,
    isLast: isLastOfCall,
    open: (after, ended) => goOn(transport, id, after, ended),
  };
  const how = { ...transport, silenceMs, signal: endOf(options) };
  for await (const event of resumableEvents(stream, how)) {
    const converted = callEvent<CallAnswer>(event, transport.url);
    if (converted !== undefined) yield converted;
  }
}

function goOn(
  { open }: Transport,
  id: string,
  after: string | undefined,
  signal: AbortSignal,
): Promise<FetchResponse> {
  const headers = { 'last-event-id': after ?? '0' };
  // The reader of the stream retries.
  return open('GET /executions/:id/events', { params: { id }, headers }, { signal, isRepeatable: false });
}
