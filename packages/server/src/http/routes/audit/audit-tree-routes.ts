import { auditContracts } from '@ambit/api';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../../errors/refusal.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import type { AccessFor } from '../../route/request-state.ts';
import { route } from '../../route/route.ts';
import { boundToSkills } from './audit-bounds.ts';

/**
 * The tree over the checkpoints of a cluster's nodes, below the prefix `/audit/tree`, as C2SP tlog-tiles lays it out: its last
 * signed head, and its tiles and entries.
 */
export function auditTreeRoutes(app: FastifyInstance, { proofs }: AppDeps, accessFor: AccessFor): void {
  const what = 'receipts: GET /audit/:executionId/receipt';

  route(app, auditContracts.getTreeHead, async (_, request, reply) => {
    if (!accessFor(request).audit.isWhole) throw boundToSkills(request, what, 'the whole tree');
    const head = await proofs.tree?.head();
    if (head !== undefined) return reply.type('text/plain; charset=utf-8').send(head);
    throw noTree(proofs.tree !== undefined);
  });

  route(app, auditContracts.getTreeTile, async ({ params: { path } }, request, reply) => {
    if (!accessFor(request).audit.isWhole) throw boundToSkills(request, what, 'the whole tree');
    const bytes = await proofs.tree?.file(`tile/${path}`);
    if (bytes !== undefined) return reply.type('application/octet-stream').send(Buffer.from(bytes));
    if (proofs.tree === undefined) throw noTree(false);
    throw new Refusal(
      'RECORD_NOT_FOUND',
      `the tree has no tile ${JSON.stringify(path)}; GET /audit/tree/checkpoint has its size`,
    );
  });
}

function noTree(isCluster: boolean): Refusal {
  return new Refusal(
    'RECORD_NOT_FOUND',
    isCluster
      ? 'the tree of the cluster has no checkpoint yet; try again in a moment'
      : 'this daemon is not a node of a cluster, so it has no tree; GET /audit/verify verifies its log',
  );
}
