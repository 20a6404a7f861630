import type { KeyObject } from 'node:crypto';
import {
  type CallEvent,
  type EventReceipt,
  type Inclusion,
  type Receipt,
  type ReceiptCheck,
  receiptFor,
  type Signed,
} from '@ambit/core/audit';
import { canonicalJson } from '@ambit/core/json';
import { findFlaw } from '@ambit/runtime';
import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { eventReceipt } from './read-receipt.ts';
import { isSignedBy, keyIdOf } from './signed.ts';
import { signedStatement } from './signed-statement.ts';

/** The signature covers all other fields too; these are needed to find the events in a log. */
const SignedReceipt = signedStatement(
  z.union([
    z.looseObject({
      type: z.literal('ambit/receipt/1'),
      logId: z.string(),
      executionId: z.string(),
      events: z.array(z.strictObject({ sequence: z.int().positive(), hash: z.string() })).min(1),
    }),
    z.looseObject({
      type: z.literal('ambit/event-receipt/1'),
      logId: z.string(),
      sequence: z.int().positive(),
      event: z.looseObject({ kind: z.string(), time: z.number() }),
    }),
  ]),
).extend({
  inclusion: z
    .strictObject({
      leaf: z.string(),
      index: z.int(),
      head: z.string(),
      proof: z.array(z.string()).max(64),
      signer: z.strictObject({ node: z.int(), certificate: z.string() }),
    })
    .exactOptional(),
});

/** A receipt has fewer levels. */
const receiptDepthMax = 20;

/** Checks a receipt with a public key alone: no log, no network. */
export function checkReceipt(text: string, publicKey: KeyObject): ReceiptCheck {
  const signed = readReceiptText(text);
  if (signed === undefined)
    return invalid('malformed', 'it is not a receipt; pass the JSON that "ambit audit receipt" prints');
  const { keyId, statement, inclusion } = signed;
  if (keyId !== keyIdOf(publicKey))
    return invalid(
      'key-unknown',
      `it is signed by the key ${keyId}, but the given key is ${keyIdOf(publicKey)}; after a rotation, older receipts need the older key`,
    );
  if (!isSignedBy(publicKey, { statement, keyId, signature: signed.signature }))
    return invalid('forged', 'it was changed after it was signed');
  return { valid: true, receipt: statement, keyId, inclusion };
}

/** Compares a receipt with its log. `verifyLog` checks the log itself. */
export function compareReceipt(
  database: Database,
  receipt: Receipt | EventReceipt,
): ReceiptCheck | undefined {
  const logId = database.prepare<[], string>("SELECT value FROM meta WHERE key = 'log_id'").pluck().get();
  if (logId !== receipt.logId)
    return invalid('other-log', `it belongs to the log ${receipt.logId}, but this is the log ${logId}`);
  if (receipt.type === 'ambit/event-receipt/1') return compareEvent(database, logId, receipt);
  const stored = database.prepare<[number], { body: string; hash: string }>(
    'SELECT body, lower(hex(hash)) AS hash FROM log WHERE sequence = ?',
  );
  const events = receipt.events.map(({ sequence }) => ({ sequence, row: stored.get(sequence) }));
  const missing = events.find(({ row }) => row === undefined);
  if (missing !== undefined)
    return invalid('unlike-log', `event ${missing.sequence} is not in the log, or was pruned`);
  const found = events.map(({ sequence, row }) => ({
    sequence,
    hash: `sha256:${row?.hash}`,
    event: JSON.parse(row?.body ?? '') as CallEvent,
  }));
  return canonicalJson(attested(logId, found) ?? null) === canonicalJson(receipt)
    ? undefined
    : invalid('unlike-log', 'the events in the log do not match the receipt');
}

function compareEvent(database: Database, logId: string, receipt: EventReceipt): ReceiptCheck | undefined {
  const stored = eventReceipt(database, logId, receipt.sequence);
  if (stored === undefined)
    return invalid('unlike-log', `event ${receipt.sequence} is not in the log, or was pruned`);
  return canonicalJson(stored) === canonicalJson(receipt)
    ? undefined
    : invalid('unlike-log', 'the event in the log does not match the receipt');
}

/** Events that do not belong together have no receipt. */
function attested(logId: string, events: Parameters<typeof receiptFor>[1]): Receipt | undefined {
  try {
    return receiptFor(logId, events);
  } catch {
    return undefined;
  }
}

function readReceiptText(
  text: string,
): (Signed<Receipt | EventReceipt> & { inclusion?: Inclusion }) | undefined {
  // Parsers disagree on a duplicate member, and only one value was signed.
  if (findFlaw(text, { depthMax: receiptDepthMax }) !== undefined) return undefined;
  try {
    return SignedReceipt.parse(JSON.parse(text)) as unknown as ReturnType<typeof readReceiptText>;
  } catch {
    return undefined;
  }
}

function invalid(reason: (ReceiptCheck & { valid: false })['reason'], message: string): ReceiptCheck {
  return { valid: false, reason, message };
}
