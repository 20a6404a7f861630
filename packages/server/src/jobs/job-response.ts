import type { JsonText } from '@ambit/core/json';

/** The HTTP response of a job, stored so that a repeated request gets the same bytes. */
export interface JobResponse {
  kind: 'result' | 'problem';
  status: number;
  headers: Readonly<Record<string, string>>;
  body: JsonText;
  /** The end of the run, or the code of the refusal. */
  outcome: string;
  /** Whether a skill may have run; `false`: none has, and the call can be repeated. */
  ran: boolean;
  /** The response could not be stored under its idempotency key, or the key could not be freed. */
  isUnstored?: true;
}
