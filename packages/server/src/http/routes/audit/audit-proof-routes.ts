import { type AuditChain, auditContracts } from '@ambit/api';
import type { Receipt, Signed, SignedReceipt } from '@ambit/core/audit';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../../errors/refusal.ts';
import { callSignal } from '../../connections/when-closed.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { type AccessFor, rightsOf } from '../../route/request-state.ts';
import { route } from '../../route/route.ts';
import { boundToSkills, recordOf } from './audit-bounds.ts';

/**
 * `GET /audit/chain` has the state of the chain. `GET /audit/verify` verifies the whole log: 200 with the result, 503 while another verification
 * runs. `GET /audit/:executionId/receipt` is proof of a call for readers without access to the log.
 */
export function auditProofRoutes(
  app: FastifyInstance,
  { proofs, log, execute: { now }, shutdown }: AppDeps,
  accessFor: AccessFor,
): void {
  let verification: AuditChain['verification'] = null;

  route(app, auditContracts.getAuditChain, async (_, request) => {
    if (!accessFor(request).audit.isWhole) throw boundToSkills(request, 'records: GET /audit');
    return { ...(await log.chain()), copies: log.copies, verification };
  });

  route(app, auditContracts.verifyAudit, async (_, request, reply) => {
    if (!accessFor(request).audit.isWhole)
      throw boundToSkills(request, 'receipts: GET /audit/:executionId/receipt');
    const result = await proofs.verify(callSignal(reply, shutdown));
    verification = { at: new Date(now()).toISOString(), actor: rightsOf(request).actor, result };
    return result;
  });

  route(app, auditContracts.getEventReceipt, async ({ params: { sequence } }, request) => {
    if (!accessFor(request).audit.isWhole)
      throw boundToSkills(request, 'receipts: GET /audit/:executionId/receipt');
    const receipt = await proofs.eventReceipt(sequence);
    if (receipt !== undefined) return receipt;
    throw new Refusal(
      'RECORD_NOT_FOUND',
      `no receipt for event ${sequence}: it does not exist, was pruned, or belongs to a call, which has a receipt of its own`,
    );
  });

  route(app, auditContracts.getReceipt, async ({ params: { executionId } }, request) => {
    const access = accessFor(request);
    const isVisible = access.audit.isWhole || (await recordOf(access, executionId)) !== undefined;
    const receipt = isVisible ? await proofs.receipt(executionId) : undefined;
    if (receipt !== undefined) return withInclusion(receipt, proofs.tree);
    throw new Refusal(
      'RECORD_NOT_FOUND',
      `no receipt for ${JSON.stringify(executionId)}: no call has that id, it has not ended yet, or it was refused before it named a skill`,
    );
  });
}

/** Adds the proof that the tree of the cluster has a checkpoint that covers the call, once it has. */
async function withInclusion(
  receipt: Signed<Receipt>,
  tree: AppDeps['proofs']['tree'],
): Promise<SignedReceipt> {
  // The receipt is valid without it.
  const inclusion = await tree
    ?.inclusion(receipt.statement.events.at(-1)?.sequence ?? 0)
    .catch(() => undefined);
  return inclusion === undefined ? receipt : { ...receipt, inclusion };
}
