import { hash } from 'node:crypto';
import { JsonText } from '@ambit/core/internal';
import { z } from 'zod';
import type { JobResponse } from '../job-response.ts';

/** What is stored for one idempotency key. */
export interface Claim {
  /** The call that has the key. */
  executionId: string;
  /** A digest of the request. */
  fingerprint: string;
  /** Milliseconds since the epoch. */
  claimedAt: number;
  /** `null` while it runs, and after it was interrupted or its response did not fit. */
  ending: JobResponse | null;
}

const EndingHead = z.strictObject({
  kind: z.enum(['result', 'problem']),
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  outcome: z.string(),
  ran: z.boolean(),
});

const ClaimHead = z.strictObject({
  executionId: z.string(),
  fingerprint: z.string(),
  claimedAt: z.number(),
});

const ClaimFile = z.union([
  ClaimHead.extend({
    version: z.literal(2),
    ending: EndingHead.extend({ bodyBytes: z.int() }).nullable(),
  }),
  // The former version had the body in the same JSON, which was slow to write and to read.
  ClaimHead.extend({ version: z.literal(1), ending: EndingHead.extend({ text: z.string() }).nullable() }),
]);

/** The file of a claim: a line of JSON, followed by the response's body, which needs no parsing. */
export function claimFile({ ending, ...claim }: Claim): Uint8Array {
  if (ending === null) return Buffer.from(lineOf({ version: 2, ...claim, ending }));
  const { body, ...rest } = ending;
  const head = { version: 2, ...claim, ending: { ...rest, bodyBytes: body.bytes.length } } as const;
  return Buffer.concat([Buffer.from(lineOf(head)), body.bytes]);
}

function lineOf(head: z.input<typeof ClaimFile>): string {
  return `${JSON.stringify(head)}\n`;
}

/** The claim in a file. Throws if the file is invalid. */
export function claimIn(file: Buffer): Claim {
  const line = file.indexOf('\n');
  const end = line === -1 ? file.length : line;
  const { version: _, ending, ...claim } = ClaimFile.parse(JSON.parse(file.toString('utf8', 0, end)));
  if (ending === null) return { ...claim, ending };
  if ('text' in ending) {
    const { text, ...rest } = ending;
    return { ...claim, ending: { ...rest, body: jsonText(Buffer.from(text)) } };
  }
  const { bodyBytes, ...rest } = ending;
  const body = file.subarray(end + 1);
  if (body.length !== bodyBytes)
    throw new Error(`the body of a response has ${body.length} bytes, not ${bodyBytes}`);
  return { ...claim, ending: { ...rest, body: jsonText(body) } };
}

function jsonText(bytes: Uint8Array): JsonText {
  return new JsonText(bytes, () => hash('sha256', bytes));
}
