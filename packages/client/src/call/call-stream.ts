import { endOf, type RequestOptions } from '../request/end-of.ts';
import type { Transport } from '../request/transport.ts';
import { type Resumable, resumed } from '../stream/resumed.ts';
import { askEvents } from './ask-call.ts';
import type { AskedCall, CallAnswer } from './asked-call.ts';
import { type CallEvent, callEvent, isLastOfCall } from './call-event.ts';
import { abandonCall } from './executions.ts';

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
  call: AskedCall,
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
      const response = await askEvents(transport, call, key, { signal: ended });
      id = response.headers.get('location')?.split('/').at(-1);
      return response;
    },
  };
  try {
    for await (const event of resumed(stream, { retries: transport.retries, silenceMs, signal })) {
      if (isLastOfCall(event)) isLeft = false;
      const told = callEvent<Answer>(event);
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
  const how = { retries: transport.retries, silenceMs, signal: endOf(options) };
  for await (const event of resumed(stream, how)) {
    const told = callEvent<CallAnswer>(event);
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
