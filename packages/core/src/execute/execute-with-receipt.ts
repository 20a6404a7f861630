import type { Receipt, Signed } from '../audit/signed-statements.ts';
import { SkillError } from '../outcome/skill-error.ts';
import type { ExecuteDeps, ExecuteRequest } from './execute-request.ts';
import { type ExecuteResult, executeSkill } from './execute-skill.ts';

/** What came of a call, and the statement of it that can be shown to others. */
export interface ReceiptedResult extends ExecuteResult {
  /** `null` when it could not be made just now; the record is there, and its receipt can be asked for later. */
  receipt: Signed<Receipt> | null;
}

/** The receipt of an execution that has ended; `undefined` where there is none. */
export type ReceiptOf = (executionId: string) => Promise<Signed<Receipt> | undefined>;

/**
 * `executeSkill`, with a receipt. A refusal has one too, as `details.receipt` of the `SkillError`; only what could not be
 * recorded (`AUDIT_UNAVAILABLE`) has none.
 */
export async function executeWithReceipt(
  deps: ExecuteDeps,
  receiptOf: ReceiptOf,
  request: ExecuteRequest,
  signal: AbortSignal,
): Promise<ReceiptedResult> {
  // Whatever keeps it from being made, the call itself has run and been recorded.
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
