import type { BatchAnswer, ChainAnswer, ExecuteAnswer, ExecutionStatus } from '../api/names.ts';
import type { RequestInput } from '../request/request-input.ts';
import type { SendOptions, Transport } from '../request/transport.ts';
import { keyHeaders } from './call-options.ts';

/** A request that starts a call: of one skill, a chain or a batch. */
export type CallRequest = RouteCall<'executeSkill'> | RouteCall<'executeChain'> | RouteCall<'executeBatch'>;

interface RouteCall<Id extends 'executeSkill' | 'executeChain' | 'executeBatch'> {
  id: Id;
  given: RequestInput<Id>;
}

/** The response to such a request. */
export type CallAnswer = ExecuteAnswer | ChainAnswer | BatchAnswer;

/** A running call, or a finished call with its response. */
export interface StartedCall {
  executionId: string;
  answer: CallAnswer | undefined;
}

/** The response of a call to a request that waits for it. */
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

/** Starts a call that is independent of the connection. */
export async function startCall(
  { json }: Transport,
  { id, given }: CallRequest,
  key: string | undefined,
  options: Omit<SendOptions, 'isRepeatable'>,
): Promise<StartedCall> {
  const headers = { ...keyHeaders(key), prefer: 'respond-async' };
  // A call that ended quickly, or whose key was used before, has its whole response.
  const body: CallAnswer | ExecutionStatus = await json(id, { ...given, headers } as never, {
    ...options,
    isRepeatable: key !== undefined,
  });
  return { executionId: body.executionId, answer: 'usage' in body ? body : undefined };
}

/** The response to a request for the events of a call. */
export function requestEvents(
  { open }: Transport,
  { id, given }: CallRequest,
  key: string | undefined,
  options: Omit<SendOptions, 'isRepeatable'>,
): Promise<Response> {
  const headers = { ...keyHeaders(key), accept: 'text/event-stream' };
  return open(id, { ...given, headers } as never, { ...options, isRepeatable: false });
}
