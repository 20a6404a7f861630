import { json } from 'node:stream/consumers';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { peerOf } from '../../cluster/peers/peer-caller.ts';
import type { AppDeps } from '../route/app-deps.ts';
import { rightsOf } from '../route/request-state.ts';

/** The time that an answer may take. */
const answerMs = 1000;

/**
 * The other nodes' answers to a `GET` of `url` by this caller, by the name of the node. Leaves out nodes that have no lease,
 * or do not answer within a second. A node that was asked by another one asks none.
 */
export async function askNodes<Answer>(
  cluster: NonNullable<AppDeps['cluster']>,
  request: FastifyRequest,
  url: string,
  schema: z.ZodType<Answer>,
): Promise<ReadonlyMap<string, Answer>> {
  const answers = new Map<string, Answer>();
  if (peerOf(request.raw) !== undefined) return answers;
  const { actor } = rightsOf(request);
  const requests = cluster.nodes().map(async (node) => {
    const hasLease = node.leaseUntil >= node.now && node.state !== 'retired';
    if (node.name === cluster.identity.name || !hasLease) return;
    const signal = AbortSignal.timeout(answerMs);
    const answer = await cluster.pass(node, { method: 'GET', url, headers: {}, actor, signal });
    answers.set(node.name, schema.parse(await json(answer)));
  });
  // Also a node of an older version, which does not know the route.
  await Promise.allSettled(requests);
  return answers;
}
