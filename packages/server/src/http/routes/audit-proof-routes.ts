import type { Receipt, Signed, Verification } from '@ambit/core';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { AppDeps } from '../app-deps.ts';
import { parseRequest } from '../door/parse-request.ts';
import { Refusal } from '../problem/refusal.ts';
import { boundToSkills, recordOf } from './audit-bounds.ts';
import { callSignal } from './call-signal.ts';
import type { ReachFor } from './reach-for.ts';

const Params = z.strictObject({ executionId: z.string().max(200) });

/**
 * `GET /audit/verify` reads the whole log again: 200 with what came of it, whatever that is, and 503 while another one
 * does. `GET /audit/:executionId/receipt` is what can be shown to those who do not have the log.
 */
export function auditProofRoutes(
  app: FastifyInstance,
  { proofs, shutdown }: AppDeps,
  reachFor: ReachFor,
): void {
  app.get('/audit/verify', async (request, reply): Promise<Verification> => {
    if (reachFor(request).audit.isWhole) return proofs.verify(callSignal(reply, shutdown));
    throw boundToSkills(request, 'receipts: GET /audit/:executionId/receipt');
  });
  app.get('/audit/:executionId/receipt', async (request): Promise<Signed<Receipt>> => {
    const { executionId } = parseRequest(Params, request.params);
    const reach = reachFor(request);
    const isVisible = reach.audit.isWhole || (await recordOf(reach, executionId)) !== undefined;
    const receipt = isVisible ? await proofs.receipt(executionId) : undefined;
    if (receipt !== undefined) return receipt;
    throw new Refusal(
      'RECORD_NOT_FOUND',
      `there is no receipt for ${JSON.stringify(executionId)}: no call has that id, it has not ended yet, or it was refused before it named a skill`,
    );
  });
}
