import type { AmbitError } from '../failure/ambit-error.ts';
import { notAmbit } from '../failure/not-ambit.ts';
import { endOf, type RequestOptions } from '../request/end-of.ts';
import type { Transport } from '../request/transport.ts';
import { type Resumable, resumed } from '../stream/resumed.ts';
import { type CallEvent, callEvent, isLastOfCall } from './call-event.ts';
import type { CallAnswer, CallRequest } from './call-request.ts';
import { abandonCall } from './executions.ts';
import { requestEvents } from './request-call.ts';

/** How events are read. */
export interface StreamOptions extends RequestOptions {
  /** A stream that says nothing for so long is taken for cut. */
  silenceMs: number;
}

/**
 * A call, as what happens in it; a stream that is cut is read on. Whoever leaves it before the end, or aborts, cancels the
 * call. Throws the problem that it is refused with.
 */
export async function* callStream<Answer>(
  transport: Transport,
  call: CallRequest,
  key: string | undefined,
  { silenceMs, ...options }: StreamOptions,
): AsyncGenerator<CallEvent<Answer>> {
  const signal = endOf(options);
  let id: string | undefined;
  let isLeft = true;
  const stream: Resumable = {
    ...{ isRepeatable: key !== undefined, isLast: isLastOfCall },
    async open(after, ended) {
      if (id !== undefined) return goOn(transport, id, after, ended);
      const response = await requestEvents(transport, call, key, { signal: ended });
      id = response.headers.get('location')?.split('/').at(-1) || undefined;
      // Without its name it cannot be read on, and without a key asking again is another call.
      if (id === undefined && key === undefined) throw await unnamed(response);
      return response;
    },
  };
  try {
    for await (const event of resumed(stream, { ...transport, silenceMs, signal })) {
      if (isLastOfCall(event)) isLeft = false;
      const told = callEvent<Answer>(event, transport.url);
      if (told !== undefined) yield told;
    }
    isLeft = false;
  } catch (error) {
    isLeft = signal?.aborted === true;
    throw error;
  } finally {
    if (isLeft && id !== undefined) await abandonCall(transport, id);
  }
}

/** Who answers with a call and does not say which; what may have begun is let go of. */
async function unnamed({ body, url }: Response): Promise<AmbitError> {
  await body?.cancel().catch(() => undefined);
  return notAmbit(url);
}

/** What happens in a call that was begun before, from the first event that is kept. Whoever leaves it leaves the call alone. */
export async function* watchedCall(
  transport: Transport,
  id: string,
  { silenceMs, ...options }: StreamOptions,
): AsyncGenerator<CallEvent> {
  const stream: Resumable = {
    ...{ isRepeatable: true, isLast: isLastOfCall },
    open: (after, ended) => goOn(transport, id, after, ended),
  };
  const how = { ...transport, silenceMs, signal: endOf(options) };
  for await (const event of resumed(stream, how)) {
    const told = callEvent<CallAnswer>(event, transport.url);
    if (told !== undefined) yield told;
  }
}

function goOn(
  { open }: Transport,
  id: string,
  after: string | undefined,
  signal: AbortSignal,
): Promise<Response> {
  const headers = { 'last-event-id': after ?? '0' };
  // Whoever reads the stream tries again.
  return open('followExecution', { path: { id }, headers }, { signal, isRepeatable: false });
}
