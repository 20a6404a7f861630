import type { Receipt, Signed } from '../audit/signed-statements.ts';
import { SkillError } from '../outcome/skill-error.ts';
import type { ExecuteDeps, ExecuteRequest } from './call/execute-request.ts';
import { type ExecuteResult, executeSkill } from './execute-skill.ts';

/** The result of a call, and a signed statement about it for third parties. */
export interface ReceiptedResult extends ExecuteResult {
  /** `null` if it could not be created. The record exists, so its receipt can be requested later. */
  receipt: Signed<Receipt> | null;
}

/** The receipt of an ended execution; `undefined` if there is none. */
export type ReceiptOf = (executionId: string) => Promise<Signed<Receipt> | undefined>;

/**
 * `executeSkill` with a receipt. A refusal has one too, in `details.receipt` of the `SkillError`, unless
 * it could not be recorded (`AUDIT_UNAVAILABLE`).
 */
export async function executeWithReceipt(
  deps: ExecuteDeps,
  receiptOf: ReceiptOf,
  request: ExecuteRequest,
  signal: AbortSignal,
): Promise<ReceiptedResult> {
  // A failure to create the receipt changes nothing: the call has run and is recorded.
  const receipt = (): Promise<Signed<Receipt> | null> =>
    receiptOf(request.executionId).then(
      (signed) => signed ?? null,
      () => null,
    );
  try {
    const result = await executeSkill(deps, request, signal);
    return { ...result, receipt: await receipt() };
  } catch (error) {
    if (!(error instanceof SkillError) || error.code === 'AUDIT_UNAVAILABLE') throw error;
    const { code, message, details, cause } = error;
    throw new SkillError(code, message, { cause, details: { ...details, receipt: await receipt() } });
  }
}
