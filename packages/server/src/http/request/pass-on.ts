import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { passedHeaders } from '../../cluster/peers/passed-headers.ts';
import { peerOf } from '../../cluster/peers/peer-caller.ts';
import type { StoredNode } from '../../store/operations/nodes.ts';
import { whenGone } from '../connections/when-closed.ts';
import { Refusal } from '../problem/refusal.ts';
import type { ClusterNodes } from '../route/app-deps.ts';
import { rightsOf } from '../route/request-state.ts';

/**
 * Passes requests on to the node that they concern: about an execution, or in a session of MCP. Without such a node, or if it
 * has no lease, this node answers itself. A request is passed on once.
 */
export function passOnRequests(app: FastifyInstance, cluster: ClusterNodes): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.rights === null || peerOf(request.raw) !== undefined) return undefined;
    const id = concerned(request);
    const owner = id === undefined ? undefined : cluster.ownerOf(id);
    if (owner === undefined || !hasLease(owner)) return undefined;
    const body = request.method === 'GET' || request.method === 'DELETE' ? undefined : request.raw;
    return passOn(cluster, owner, request, reply, body);
  });
}

/** Passes a request on to a node, and sends its answer. Throws `NODE_UNREACHABLE`. */
export async function passOn(
  cluster: Pick<ClusterNodes, 'pass'>,
  node: StoredNode,
  request: FastifyRequest,
  reply: FastifyReply,
  body: IncomingMessage | Uint8Array | undefined,
): Promise<FastifyReply> {
  const gone = new AbortController();
  whenGone(reply, (reason) => gone.abort(reason));
  const { method, url, headers } = request.raw;
  let answer: IncomingMessage;
  try {
    answer = await cluster.pass(node, {
      ...{ method: method ?? 'GET', url: url ?? '/', headers, body },
      ...{ actor: rightsOf(request).actor, signal: gone.signal },
    });
  } catch (cause) {
    throw unreachable(node, cause);
  }
  // The other node has recorded it.
  request.recorded = true;
  return reply
    .code(answer.statusCode ?? 502)
    .headers(passedHeaders(answer.headers))
    .send(answer);
}

/** The id of the execution or the session that a request is about. */
function concerned({ routeOptions: { url = '' }, params, headers }: FastifyRequest): string | undefined {
  if (url.startsWith('/executions/:id')) return (params as { id?: string }).id;
  // The node that ran the call signs its receipt.
  if (url === '/audit/:executionId/receipt') return (params as { executionId?: string }).executionId;
  const session = headers['mcp-session-id'];
  return url === '/mcp' && typeof session === 'string' ? session : undefined;
}

function hasLease({ leaseUntil, now }: StoredNode): boolean {
  return leaseUntil >= now;
}

function unreachable({ name, leaseUntil, now }: StoredNode, cause: unknown): Refusal {
  const seconds = Math.max(1, Math.ceil((leaseUntil - now) / 1000));
  return new Refusal(
    'NODE_UNREACHABLE',
    `the node ${name}, which this request is about, cannot be reached: ${(cause as Error).message}. Try again in ${seconds} s: if it is gone, another node can answer then`,
    { headers: { 'retry-after': String(seconds) }, cause },
  );
}
