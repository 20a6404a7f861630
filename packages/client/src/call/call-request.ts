import type { BatchAnswer, ChainAnswer, ExecuteAnswer } from '../api/names.ts';
import type { RequestInput } from '../request/request-input.ts';

/** A request that starts a call: of one skill, a chain or a batch. */
export type CallRequest = RouteCall<'executeSkill'> | RouteCall<'executeChain'> | RouteCall<'executeBatch'>;

interface RouteCall<Id extends 'executeSkill' | 'executeChain' | 'executeBatch'> {
  id: Id;
  given: RequestInput<Id>;
}

/** The response to such a request. */
export type CallAnswer = ExecuteAnswer | ChainAnswer | BatchAnswer;
