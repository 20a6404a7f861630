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
  /** Which of some nodes cannot be reached. */
  findUnreachable(nodes: readonly Pick<StoredNode, 'id' | 'advertise'>[]): Promise<readonly number[]>;
  close(): void;
}

const connectMs = 3000;

/** Connects with the certificate of `identity`, and only to the node whose certificate names it. */
export function peerClient(identity: NodeIdentity): PeerClient {
  const agents = new Map<number, Agent>();
  const agentFor = (id: number): Agent => {
    const known = agents.get(id);
    if (known !== undefined) return known;
    const agent = new Agent({
      ...{ key: identity.key, cert: identity.certificate, ca: identity.authority, minVersion: 'TLSv1.3' },
      ...{ keepAlive: true, timeout: 30_000 },
      checkServerIdentity: (_host, { subject }) =>
        subject.CN === nodeSubject(id) ? undefined : new Error(`it is ${subject.CN}, not ${nodeSubject(id)}`),
    });
    agents.set(id, agent);
    return agent;
  };
  const pass: PeerClient['pass'] = async (
    { id, advertise },
    { method, url, headers, actor, body, signal },
  ) => {
    const { host, port } = nodeAddress(advertise) ?? { host: '', port: 0 };
    const asked = request({
      ...{ host, port, method, path: url, agent: agentFor(id), signal },
      headers: { ...withLengthOf(body, passedHeaders(headers)), [callerHeader]: actor },
    });
    const connecting = setTimeout(
      () => asked.destroy(new Error(`no connection within ${connectMs} ms`)),
      connectMs,
    );
    asked.once('socket', (socket) => {
      const connected = (): void => clearTimeout(connecting);
      if (socket.connecting) socket.once('secureConnect', connected);
      else connected();
    });
    const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
    try {
      if (body === undefined || body instanceof Uint8Array) asked.end(body);
      else await Promise.race([pipeline(body, asked), answered]);
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
          const asked = { method: 'GET', url: '/healthz', headers: {}, actor: identity.name, signal };
          (await pass(node, asked)).resume();
        }),
      );
      return nodes.flatMap(({ id }, at) => (looked[at]?.status === 'rejected' ? [id] : []));
    },
    close() {
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
