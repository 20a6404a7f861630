import type { FetchResponse } from '../request/fetch.ts';
import type { RequestInput } from '../request/request-input.ts';
import type { ResponseBody, ResponseField } from '../request/routes.ts';
import type { SendOptions, Transport } from '../request/transport.ts';
import type { CallAnswer, ExecutionStatus } from './call-answer.ts';
import { keyHeaders } from './call-options.ts';

/** A route that starts a call. */
export type CallRoute = 'POST /skills/:id/execute' | 'POST /chain' | 'POST /batch';

/** A request that starts a call: of one skill, a chain or a batch. */
export interface CallRequest<Name extends CallRoute = CallRoute> {
  route: Name;
  given: Pick<RequestInput<Name>, 'params' | 'body'>;
}

/** Whether the response of an execution, which is of any kind, answers this request. */
export function isAnswerTo<Name extends CallRoute>(
  { route }: CallRequest<Name>,
  answer: CallAnswer,
): answer is ResponseBody<Name> {
  return Object.hasOwn(Object(answer), ownFields[route]);
}

/** A field of each kind of response that the others lack. */
const ownFields = {
  'POST /skills/:id/execute': 'log',
  'POST /chain': 'links',
  'POST /batch': 'results',
} as const satisfies { [Name in CallRoute]: ResponseField<Name> };

/** A running call, or a finished call with its response. */
export interface StartedCall {
  executionId: string;
  answer: CallAnswer | undefined;
}

/** The response of a call to a request that waits for it. */
export async function requestAnswer<Name extends CallRoute>(
  { json }: Transport,
  { route, given }: CallRequest<Name>,
  key: string | undefined,
  options: Omit<SendOptions, 'isRepeatable'>,
): Promise<ResponseBody<Name>> {
  const sending = { ...options, isRepeatable: key !== undefined };
  return json(route, 'executionId', { ...given, headers: keyHeaders(key) }, sending);
}

/** Starts a call that is independent of the connection. */
export async function startCall<Name extends CallRoute>(
  { json }: Transport,
  { route, given }: CallRequest<Name>,
  key: string | undefined,
  options: Omit<SendOptions, 'isRepeatable'>,
): Promise<StartedCall> {
  const headers = { ...keyHeaders(key), prefer: 'respond-async' };
  const sending = { ...options, isRepeatable: key !== undefined };
  // A call that ended quickly, or whose key was used before, has its whole response.
  const body: CallAnswer | ExecutionStatus = await json(route, 'executionId', { ...given, headers }, sending);
  return { executionId: body.executionId, answer: 'usage' in body || 'results' in body ? body : undefined };
}

/** The response to a request for the events of a call. */
export function requestEvents<Name extends CallRoute>(
  { open }: Transport,
  { route, given }: CallRequest<Name>,
  key: string | undefined,
  options: Omit<SendOptions, 'isRepeatable'>,
): Promise<FetchResponse> {
  const headers = { ...keyHeaders(key), accept: 'text/event-stream' };
  return open(route, { ...given, headers }, { ...options, isRepeatable: false });
}
