import { hash } from 'node:crypto';
import { JsonText } from '@ambit/core/json';
import type { JobResponse } from '../jobs/job-response.ts';

function jsonText(text: string): JsonText {
  return new JsonText(Buffer.from(text), hash('sha256', text));
}

export function textOf({ body }: JobResponse): string {
  return Buffer.from(body.bytes).toString();
}

/** The response of a call that ran, with the body `text`. */
export function resultOf(text: string): JobResponse {
  return { kind: 'result', status: 200, headers: {}, body: jsonText(text), outcome: 'succeeded', ran: true };
}
