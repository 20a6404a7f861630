import type { Ending } from '../ending.ts';

/** The ending of a call that ran; `text` is its answer. */
export function resultOf(text: string): Ending {
  return { kind: 'result', status: 200, headers: {}, text, outcome: 'succeeded', ran: true };
}
