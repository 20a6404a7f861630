import {
  type Receipt,
  type Signed,
  SignedEventReceipt,
  SignedReceipt,
  Verification,
} from '@ambit/core/audit';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { Refusal } from '../../../errors/refusal.ts';
import { AuditChain } from '../../../wire/answer/audit.ts';
import { callSignal } from '../../connections/when-closed.ts';
import { json } from '../../route/answer.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { defineRoute } from '../../route/define-route.ts';
import { type AccessFor, rightsOf } from '../../route/request-state.ts';
import { count } from '../../route/whole-number.ts';
import { boundToSkills, recordOf } from './audit-bounds.ts';
import { ExecutionParams } from './audit-parameters.ts';

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

  defineRoute(app, {
    method: 'GET',
    url: '/audit/chain',
    scope: 'audit:read',
    id: 'getAuditChain',
    group: 'Audit log',
    summary: 'Get the state of the chain',
    description:
      'The ends of the chain, its last checkpoint, its signing keys and the last verification. Verifies nothing itself. In a cluster, this is the log of the node that answers. Only for keys that are not bound to skills.',
    answers: { 200: json('The state of the chain.', AuditChain) },
    problems: [],
    async handle(_, request) {
      if (!accessFor(request).audit.isWhole) throw boundToSkills(request, 'records: GET /audit');
      return { ...(await log.chain()), copies: log.copies, verification };
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/audit/verify',
    scope: 'audit:read',
    id: 'verifyAudit',
    group: 'Audit log',
    summary: 'Verify the log',
    description:
      'Reads the whole log and checks its chain, checkpoints and signatures. Only for keys that are not bound to skills. One verification runs at a time.',
    answers: { 200: json('The result, also if the log has a flaw.', Verification) },
    problems: ['OVERLOADED'],
    async handle(_, request, reply) {
      if (!accessFor(request).audit.isWhole)
        throw boundToSkills(request, 'receipts: GET /audit/:executionId/receipt');
      const result = await proofs.verify(callSignal(reply, shutdown));
      verification = { at: new Date(now()).toISOString(), actor: rightsOf(request).actor, result };
      return result;
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/audit/events/:sequence/receipt',
    scope: 'audit:read',
    id: 'getEventReceipt',
    group: 'Audit log',
    summary: 'Get a signed receipt of an event',
    description:
      'A signed statement about one event outside calls, such as the approval of a skill, for readers without access to the log. Only for keys that are not bound to skills.',
    params: z.strictObject({ sequence: count().describe('Of the event in the log.') }),
    answers: { 200: json('The receipt.', SignedEventReceipt) },
    problems: ['RECORD_NOT_FOUND'],
    async handle({ params: { sequence } }, request) {
      if (!accessFor(request).audit.isWhole)
        throw boundToSkills(request, 'receipts: GET /audit/:executionId/receipt');
      const receipt = await proofs.eventReceipt(sequence);
      if (receipt !== undefined) return receipt;
      throw new Refusal(
        'RECORD_NOT_FOUND',
        `no receipt for event ${sequence}: it does not exist, was pruned, or belongs to a call, which has a receipt of its own`,
      );
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/audit/:executionId/receipt',
    scope: 'audit:read',
    id: 'getReceipt',
    group: 'Audit log',
    summary: 'Get a signed receipt',
    description: 'A signed statement about one call, for readers without access to the log.',
    params: ExecutionParams,
    answers: { 200: json('The receipt.', SignedReceipt) },
    problems: ['RECORD_NOT_FOUND', 'NODE_UNREACHABLE'],
    async handle({ params: { executionId } }, request) {
      const access = accessFor(request);
      const isVisible = access.audit.isWhole || (await recordOf(access, executionId)) !== undefined;
      const receipt = isVisible ? await proofs.receipt(executionId) : undefined;
      if (receipt !== undefined) return withInclusion(receipt, proofs.tree);
      throw new Refusal(
        'RECORD_NOT_FOUND',
        `no receipt for ${JSON.stringify(executionId)}: no call has that id, it has not ended yet, or it was refused before it named a skill`,
      );
    },
  });
}

/** Adds the proof that the tree of the cluster has a checkpoint that covers the call, once it has. */
async function withInclusion(
  receipt: Signed<Receipt>,
  tree: AppDeps['proofs']['tree'],
): Promise<SignedReceipt> {
  const signed = receipt as SignedReceipt;
  // The receipt is valid without it.
  const inclusion = await tree
    ?.inclusion(receipt.statement.events.at(-1)?.sequence ?? 0)
    .catch(() => undefined);
  return inclusion === undefined ? signed : { ...signed, inclusion };
}
