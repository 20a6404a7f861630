import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { Refusal } from '../../../errors/refusal.ts';
import { stream } from '../../route/answer.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { defineRoute } from '../../route/define-route.ts';
import type { AccessFor } from '../../route/request-state.ts';
import { boundToSkills } from './audit-bounds.ts';

/**
 * The tree over the checkpoints of a cluster's nodes, below the prefix `/audit/tree`, as C2SP tlog-tiles lays it out: its last
 * signed head, and its tiles and entries.
 */
export function auditTreeRoutes(app: FastifyInstance, { proofs }: AppDeps, accessFor: AccessFor): void {
  const what = 'receipts: GET /audit/:executionId/receipt';

  defineRoute(app, {
    method: 'GET',
    url: '/audit/tree/checkpoint',
    scope: 'audit:read',
    id: 'getTreeHead',
    group: 'Audit log',
    summary: 'Get the head of the tree',
    description:
      'Only in a cluster: the last head of the Merkle tree over the checkpoints of all nodes, as a signed note (C2SP tlog-checkpoint). Only for keys that are not bound to skills.',
    answers: { 200: stream('The signed note.', { 'text/plain': { description: 'A C2SP checkpoint.' } }) },
    problems: ['RECORD_NOT_FOUND'],
    async handle(_, request, reply) {
      if (!accessFor(request).audit.isWhole) throw boundToSkills(request, what, 'the whole tree');
      const head = await proofs.tree?.head();
      if (head !== undefined) return reply.type('text/plain; charset=utf-8').send(head);
      throw noTree(proofs.tree !== undefined);
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/audit/tree/tile/*',
    scope: 'audit:read',
    id: 'getTreeTile',
    group: 'Audit log',
    summary: 'Get a tile of the tree',
    description:
      'Only in a cluster: a tile of the Merkle tree, or a bundle of its entries, by its path in C2SP tlog-tiles, such as `0/000` or `entries/000.p/5`. Only for keys that are not bound to skills.',
    params: z.strictObject({ path: z.string().max(100).describe('Below `tile/`.') }),
    answers: {
      200: stream('The tile.', {
        'application/octet-stream': { description: 'Hashes of 32 bytes, or entries after their lengths.' },
      }),
    },
    problems: ['RECORD_NOT_FOUND'],
    async handle({ params: { path } }, request, reply) {
      if (!accessFor(request).audit.isWhole) throw boundToSkills(request, what, 'the whole tree');
      const bytes = await proofs.tree?.file(`tile/${path}`);
      if (bytes !== undefined) return reply.type('application/octet-stream').send(Buffer.from(bytes));
      if (proofs.tree === undefined) throw noTree(false);
      throw new Refusal(
        'RECORD_NOT_FOUND',
        `the tree has no tile ${JSON.stringify(path)}; GET /audit/tree/checkpoint has its size`,
      );
    },
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
