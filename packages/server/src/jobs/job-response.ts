import type { JsonText } from '@ambit/core';

/** How an execution ended, as its transport answered it, so that whoever asks again gets the same bytes. */
export interface JobResponse {
  kind: 'result' | 'problem';
  /** What the transport answers with beside the text; kept and handed back as it is. */
  status: number;
  headers: Readonly<Record<string, string>>;
  body: JsonText;
  /** How the run ended, or the code that it was refused with. */
  outcome: string;
  /** Whether anything of a skill may have run; `false`: it certainly did not, and the call can be made again. */
  ran: boolean;
}
