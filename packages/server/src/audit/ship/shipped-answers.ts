import { SkillError } from '@ambit/core';
import type { AuditPosition } from '@ambit/core/audit';
import { thrownText } from '@ambit/core/outcome';
import type { EventRow } from '../log/event-row.ts';
import type { Shipping } from './shipping.ts';

/**
 * Appends for a node whose answers wait for the database. While it cannot be reached, no call begins. A record is in the
 * database before its answer is sent. If that takes longer than `waitMs`, the answer is sent without, because the call has run;
 * its position then has `shipped: false`.
 */
export function shippedAppend(
  append: (row: EventRow, mayWait: boolean) => Promise<AuditPosition>,
  shipping: Pick<Shipping, 'failure' | 'isShipped'>,
  waitMs: number,
): typeof append {
  return async (row, mayWait) => {
    if (row.opens && !row.closes && shipping.failure() !== undefined) throw notShipped(shipping.failure());
    const position = await append(row, mayWait);
    if (!row.closes || (await shipping.isShipped(position.sequence, waitMs))) return position;
    return { ...position, shipped: false };
  };
}

function notShipped(cause: unknown): SkillError {
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `no call is started while its record cannot reach the database, because cluster.audit is "shipped": ${thrownText(cause)}`,
    { cause },
  );
}
