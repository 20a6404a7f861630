import type { BatchAnswer, ChainAnswer, ExecuteAnswer } from '../api/names.ts';
import type { RequestInput } from '../request/request-input.ts';

/** A request that begins a call: of one skill, of a chain, or of many at once. */
export type CallRequest = RouteCall<'executeSkill'> | RouteCall<'executeChain'> | RouteCall<'executeBatch'>;

interface RouteCall<Id extends 'executeSkill' | 'executeChain' | 'executeBatch'> {
  id: Id;
  given: RequestInput<Id>;
}

/** What such a request is answered with when the call has ended. */
export type CallAnswer = ExecuteAnswer | ChainAnswer | BatchAnswer;
