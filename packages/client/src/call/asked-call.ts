import type { BatchAnswer, ChainAnswer, ExecuteAnswer } from '../api/names.ts';
import type { Given } from '../request/given.ts';

/** A request that begins a call: of one skill, of a chain, or of many at once. */
export type AskedCall = Asked<'executeSkill'> | Asked<'executeChain'> | Asked<'executeBatch'>;

interface Asked<Id extends 'executeSkill' | 'executeChain' | 'executeBatch'> {
  id: Id;
  given: Given<Id>;
}

/** What such a request is answered with when the call has ended. */
export type CallAnswer = ExecuteAnswer | ChainAnswer | BatchAnswer;
