import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Actor } from '@ambit/core/audit';
import { nodeAddress } from '../../config/file/node-address.ts';
import type { StoredNode } from '../../store/operations/nodes.ts';
import { nodeSubject } from '../identity/authority.ts';
import type { NodeIdentity } from '../identity/node-files.ts';
import { passedHeaders } from './passed-headers.ts';
import { callerHeader } from './peer-caller.ts';

/** A request to pass on. */
interface PassedRequest {
  method: string;
  /** The path with its query. */
  url: string;
  headers: IncomingHttpHeaders;
  actor: Actor;
  /** Absent: none. */
  body?: Readable | Uint8Array | undefined;
  /** Aborted when the caller is gone. */
  signal: AbortSignal;
}

/** Connections to other nodes. */
export interface PeerClient {
  /** Resolves to the answer of a node, whose body is not read yet. Rejects if the node cannot be reached. */
  pass(node: Pick<StoredNode, 'id' | 'advertise'>, passed: PassedRequest): Promise<IncomingMessage>;
  /** Finds the given nodes that cannot be reached. */
  findUnreachable(nodes: readonly Pick<StoredNode, 'id' | 'advertise'>[]): Promise<readonly number[]>;
  close(): void;
}

const connectMs = 3000;

/**
 * Connects with the certificate of `identity`, and to another node only if it has the certificate with which it joined.
 * `certificateOf` resolves to that (PEM), or to `undefined` for a node that did not join. It never changes, so it is read until
 * the first success.
 */
export function peerClient(
  identity: NodeIdentity,
  certificateOf: (node: number) => Promise<string | undefined>,
): PeerClient {
  const agents = new Map<number, Agent>();
  let isClosed = false;
  const agentFor = async (id: number): Promise<Agent> => {
    const before = agents.get(id);
    if (before !== undefined) return before;
    const certificate = await certificateOf(id);
    if (certificate === undefined) throw new Error(`the database has no node ${id}`);
    const joined = new X509Certificate(certificate).fingerprint256;
    // Another request may have read it meanwhile.
    const known = agents.get(id);
    if (known !== undefined) return known;
    if (isClosed) throw new Error('the connections to other nodes are closed');
    const agent = new Agent({
      key: identity.key,
      cert: identity.certificate,
      ca: identity.authority,
      minVersion: 'TLSv1.3',
      keepAlive: true,
      timeout: 30_000,
      checkServerIdentity(_host, { subject, fingerprint256 }) {
        if (subject.CN !== nodeSubject(id)) return new Error(`it is ${subject.CN}, not ${nodeSubject(id)}`);
        // A retired node can have a copy of the authority's key, which certifies any node again.
        if (fingerprint256 !== joined)
          return new Error(`${subject.CN} has another certificate than the one with which it joined`);
        return undefined;
      },
    });
    agents.set(id, agent);
    return agent;
  };
  const pass: PeerClient['pass'] = async (
    { id, advertise },
    { method, url, headers, actor, body, signal },
  ) => {
    const { host, port } = nodeAddress(advertise) ?? { host: '', port: 0 };
    const agent = await agentFor(id);
    const outgoing = request({
      host,
      port,
      method,
      path: url,
      agent,
      signal,
      headers: { ...withLengthOf(body, passedHeaders(headers)), [callerHeader]: actor },
    });
    const connecting = setTimeout(
      () => outgoing.destroy(new Error(`no connection within ${connectMs} ms`)),
      connectMs,
    );
    outgoing.once('socket', (socket) => {
      const connected = (): void => clearTimeout(connecting);
      if (socket.connecting) socket.once('secureConnect', connected);
      else connected();
    });
    const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
    try {
      if (body === undefined || body instanceof Uint8Array) outgoing.end(body);
      else await Promise.race([pipeline(body, outgoing), answered]);
      return (await answered)[0];
    } finally {
      clearTimeout(connecting);
    }
  };
  return {
    pass,
    async findUnreachable(nodes) {
      const looked = await Promise.allSettled(
        nodes.map(async (node) => {
          const signal = AbortSignal.timeout(connectMs);
          const probe = { method: 'GET', url: '/healthz', headers: {}, actor: identity.name, signal };
          (await pass(node, probe)).resume();
        }),
      );
      return nodes.flatMap(({ id }, at) => (looked[at]?.status === 'rejected' ? [id] : []));
    },
    close() {
      isClosed = true;
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

/** A body that is passed on as it arrives has the length that its sender announced. */
function withLengthOf(
  body: PassedRequest['body'],
  { 'content-length': announced, ...headers }: ReturnType<typeof passedHeaders>,
): ReturnType<typeof passedHeaders> {
  const length = body instanceof Uint8Array ? String(body.length) : announced;
  return body === undefined || length === undefined ? headers : { ...headers, 'content-length': length };
}
