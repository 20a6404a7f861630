import type { KeyObject } from 'node:crypto';
import {
  type CallEvent,
  canonicalJson,
  type Receipt,
  type ReceiptCheck,
  receiptFor,
  type Signed,
} from '@ambit/core/internal';
import { findFlaw } from '@ambit/runtime';
import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { isSignedBy, keyIdOf, signedStatement } from './signed.ts';

/** The signature covers the rest, whatever it says; what is read here is where to look for it in a log. */
const SignedReceipt = signedStatement(
  z.looseObject({
    type: z.literal('ambit/receipt/1'),
    logId: z.string(),
    executionId: z.string(),
    events: z.array(z.strictObject({ sequence: z.int().positive(), hash: z.string() })).min(1),
  }),
);

/** A receipt has fewer levels. */
const receiptDepthMax = 20;

/** Checks a receipt's text with a public key alone: no log, no network. */
export function checkReceipt(text: string, publicKey: KeyObject): ReceiptCheck {
  const signed = readReceiptText(text);
  if (signed === undefined)
    return invalid('malformed', 'it is no receipt; write the JSON that "ambit audit receipt" prints');
  const { keyId, statement } = signed;
  if (keyId !== keyIdOf(publicKey))
    return invalid(
      'key-unknown',
      `it is signed by the key ${keyId}, and the given one is ${keyIdOf(publicKey)}; after a rotation, older receipts need the older key`,
    );
  if (!isSignedBy(publicKey, signed)) return invalid('forged', 'it was changed after it was signed');
  return { valid: true, receipt: statement, keyId };
}

/** Compares a receipt with the log that it is of. That the log itself is what was written, `verifyLog` says. */
export function compareReceipt(database: Database, receipt: Receipt): ReceiptCheck | undefined {
  const logId = database.prepare<[], string>("SELECT value FROM meta WHERE key = 'log_id'").pluck().get();
  if (logId !== receipt.logId)
    return invalid('other-log', `it is of the log ${receipt.logId}, and this is ${logId}`);
  const stored = database.prepare<[number], { body: string; hash: string }>(
    'SELECT body, lower(hex(hash)) AS hash FROM log WHERE sequence = ?',
  );
  const events = receipt.events.map(({ sequence }) => ({ sequence, row: stored.get(sequence) }));
  const missing = events.find(({ row }) => row === undefined);
  if (missing !== undefined)
    return invalid('unlike-log', `the log does not have event ${missing.sequence} (any more)`);
  const found = events.map(({ sequence, row }) => ({
    sequence,
    hash: `sha256:${row?.hash}`,
    event: JSON.parse(row?.body ?? '') as CallEvent,
  }));
  return canonicalJson(attested(logId, found) ?? null) === canonicalJson(receipt)
    ? undefined
    : invalid('unlike-log', 'the log says something else of these events');
}

/** Events that do not belong together attest nothing. */
function attested(logId: string, events: Parameters<typeof receiptFor>[1]): Receipt | undefined {
  try {
    return receiptFor(logId, events);
  } catch {
    return undefined;
  }
}

function readReceiptText(text: string): Signed<Receipt> | undefined {
  // A member that comes twice has two values for two readers, and only one of them was signed.
  if (findFlaw(text, { depthMax: receiptDepthMax }) !== undefined) return undefined;
  try {
    return SignedReceipt.parse(JSON.parse(text)) as unknown as Signed<Receipt>;
  } catch {
    return undefined;
  }
}

function invalid(reason: (ReceiptCheck & { valid: false })['reason'], message: string): ReceiptCheck {
  return { valid: false, reason, message };
}
