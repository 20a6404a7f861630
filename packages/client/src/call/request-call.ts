import type { ExecutionStatus } from '../api/names.ts';
import type { SendOptions, Transport } from '../request/transport.ts';
import { keyHeaders } from './call-options.ts';
import type { CallAnswer, CallRequest } from './call-request.ts';

/** A call that is under way, or that has ended already, which has its answer. */
export interface StartedCall {
  executionId: string;
  answer: CallAnswer | undefined;
}

/** The answer of a call to a request that waits for it. */
export async function requestAnswer(
  { json }: Transport,
  { id, given }: CallRequest,
  key: string | undefined,
  options: Omit<SendOptions, 'isRepeatable'>,
): Promise<CallAnswer> {
  return json(id, { ...given, headers: keyHeaders(key) } as never, {
    ...options,
    isRepeatable: key !== undefined,
  });
}

/** Begins a call that is tied to no connection. */
export async function startCall(
  { json }: Transport,
  { id, given }: CallRequest,
  key: string | undefined,
  options: Omit<SendOptions, 'isRepeatable'>,
): Promise<StartedCall> {
  const headers = { ...keyHeaders(key), prefer: 'respond-async' };
  // A call that is quick, or whose key has been used, is answered whole.
  const said: CallAnswer | ExecutionStatus = await json(id, { ...given, headers } as never, {
    ...options,
    isRepeatable: key !== undefined,
  });
  return { executionId: said.executionId, answer: 'usage' in said ? said : undefined };
}

/** The answer to a request for the events of a call. */
export function requestEvents(
  { open }: Transport,
  { id, given }: CallRequest,
  key: string | undefined,
  options: Omit<SendOptions, 'isRepeatable'>,
): Promise<Response> {
  const headers = { ...keyHeaders(key), accept: 'text/event-stream' };
  return open(id, { ...given, headers } as never, { ...options, isRepeatable: false });
}
