import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { passedHeaders } from '../../cluster/peers/passed-headers.ts';
import { peerOf, unknownPeerHeader } from '../../cluster/peers/peer-caller.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { StoredNode } from '../../store/operations/nodes.ts';
import { callSignal, whenClosed } from '../connections/when-closed.ts';
import type { AppDeps } from '../route/app-deps.ts';
import { rightsOf } from '../route/request-state.ts';

/** The parts that passing on depends on. `shutdown` ends passed-on requests. */
type PassDeps = Pick<AppDeps, 'cluster' | 'shutdown'>;

/** The interval of the checks that the other node still has its lease. */
const lookMs = 500;

/**
 * Passes requests on to the node that they concern: about an execution or a session of the console, or in a session of MCP. Without such a node, or if it
 * has no lease, this node answers itself. A request is passed on once.
 */
export function passOnRequests(app: FastifyInstance, deps: PassDeps): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.rights === null || peerOf(request.raw) !== undefined) return undefined;
    const id = concerned(request);
    const owner = id === undefined ? undefined : deps.cluster?.ownerOf(id);
    if (owner === undefined || !hasLease(owner)) return undefined;
    const body = request.method === 'GET' || request.method === 'DELETE' ? undefined : request.raw;
    try {
      return await passOn(deps, owner, request, reply, body);
    } catch (error) {
      const isUnreachable = error instanceof Refusal && error.code === 'NODE_UNREACHABLE';
      if (!isUnreachable || !request.routeOptions.url?.startsWith('/executions/:id')) throw error;
      // The route answers for a call that has ended: the database has its record.
      request.unreachable = error;
      return undefined;
    }
  });
}

/**
 * Passes a request on to a node, and sends its answer. Throws `NODE_UNREACHABLE`, also if the node loses its lease before it
 * answers. An answer that it has begun is cut then.
 */
export async function passOn(
  { cluster, shutdown }: PassDeps,
  node: StoredNode,
  request: FastifyRequest,
  reply: FastifyReply,
  body: IncomingMessage | Uint8Array | undefined,
): Promise<FastifyReply> {
  if (cluster === undefined) throw new Error('only a node passes requests on');
  const lost = new AbortController();
  const watch = setInterval(() => {
    const now = cluster.nodeOf(node.id);
    if (now?.epoch !== node.epoch || !hasLease(now)) lost.abort(new Error('its lease has ended'));
  }, lookMs).unref();
  whenClosed(reply, () => clearInterval(watch));
  const ended = callSignal(reply, shutdown);
  const { method, url, headers } = request.raw;
  let answer: IncomingMessage;
  try {
    answer = await cluster.pass(node, {
      method: method ?? 'GET',
      url: url ?? '/',
      headers,
      body,
      actor: rightsOf(request).actor,
      signal: AbortSignal.any([ended, lost.signal]),
    });
  } catch (cause) {
    if (ended.aborted) throw ended.reason;
    throw unreachable(node, lost.signal.aborted ? lost.signal.reason : cause);
  }
  if (answer.headers[unknownPeerHeader] !== undefined) {
    answer.destroy();
    throw unreachable(node, new Error('it does not know this node yet'));
  }
  // The other node has recorded it.
  request.recorded = true;
  return reply
    .code(answer.statusCode ?? 502)
    .headers(passedHeaders(answer.headers))
    .send(answer);
}

/** The id of the execution or the session, of MCP or the console, that a request is about. */
function concerned({ routeOptions: { url = '' }, params, headers }: FastifyRequest): string | undefined {
  if (url.startsWith('/executions/:id')) return (params as { id?: string }).id;
  if (url === '/console/sessions/:id') return (params as { id?: string }).id;
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
