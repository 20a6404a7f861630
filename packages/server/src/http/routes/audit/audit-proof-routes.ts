import type { FastifyInstance } from 'fastify';
import { AnsweredVerification } from '../../../wire/answer/audit.ts';
import { SignedReceipt } from '../../../wire/answer/receipt.ts';
import type { AppDeps } from '../../app-deps.ts';
import { Refusal } from '../../problem/refusal.ts';
import { json } from '../../route/answer.ts';
import { defineRoute } from '../../route/define-route.ts';
import type { AccessFor } from '../access-for.ts';
import { callSignal } from '../calls/call-signal.ts';
import { boundToSkills, recordOf } from './audit-bounds.ts';
import { ExecutionParams } from './audit-parameters.ts';

/**
 * `GET /audit/verify` reads the whole log again: 200 with what came of it, whatever that is, and 503 while another one
 * does. `GET /audit/:executionId/receipt` is what can be shown to those who do not have the log.
 */
export function auditProofRoutes(
  app: FastifyInstance,
  { proofs, shutdown }: AppDeps,
  reachFor: AccessFor,
): void {
  defineRoute(app, {
    method: 'GET',
    url: '/audit/verify',
    scope: 'audit:read',
    id: 'verifyAudit',
    group: 'Audit log',
    summary: 'Whether the log is what was written',
    description:
      'Reads the whole log again and checks chain, checkpoints and signatures. For keys that are not bound to skills; one at a time.',
    answers: { 200: json('What came of it, whatever that is.', AnsweredVerification) },
    problems: ['OVERLOADED'],
    async handle(_, request, reply) {
      if (reachFor(request).audit.isWhole) return proofs.verify(callSignal(reply, shutdown));
      throw boundToSkills(request, 'receipts: GET /audit/:executionId/receipt');
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/audit/:executionId/receipt',
    scope: 'audit:read',
    id: 'getReceipt',
    group: 'Audit log',
    summary: 'A signed receipt of one call',
    description: 'What came of a call, signed, for those who do not have the log.',
    params: ExecutionParams,
    answers: { 200: json('The receipt.', SignedReceipt) },
    problems: ['RECORD_NOT_FOUND'],
    async handle({ params: { executionId } }, request) {
      const reach = reachFor(request);
      const isVisible = reach.audit.isWhole || (await recordOf(reach, executionId)) !== undefined;
      const receipt = isVisible ? await proofs.receipt(executionId) : undefined;
      if (receipt !== undefined) return receipt;
      throw new Refusal(
        'RECORD_NOT_FOUND',
        `there is no receipt for ${JSON.stringify(executionId)}: no call has that id, it has not ended yet, or it was refused before it named a skill`,
      );
    },
  });
}
