import type { ChainAnswer, ExecuteAnswer } from '../api/names.ts';
import type { Given } from '../request/given.ts';

/** A request that begins a call: of one skill, or of a chain. */
export type AskedCall = AskedSkill | AskedChain;

interface AskedSkill {
  id: 'executeSkill';
  given: Given<'executeSkill'>;
}

interface AskedChain {
  id: 'executeChain';
  given: Given<'executeChain'>;
}

/** What such a request is answered with when the call has ended. */
export type CallAnswer = ExecuteAnswer | ChainAnswer;
