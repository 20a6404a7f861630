import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import type { NodeAddress } from '../../config/file/node-address.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { StoredNode } from '../../store/operations/nodes.ts';
import { nodeOfSubject } from '../identity/authority.ts';
import type { NodeIdentity } from '../identity/node-files.ts';
import { callerHeader, notePeer, unknownPeerHeader } from './peer-caller.ts';

export interface PeerListenerOptions {
  identity: NodeIdentity;
  address: NodeAddress;
  nodes(): readonly StoredNode[];
  /** The certificate with which a node joined, PEM; `undefined` if it did not. Called once for each connection. */
  certificateOf(node: number): Promise<string | undefined>;
  /** Aborted when a node is retired: its connections are then closed. */
  retired(node: number): AbortSignal;
  /** Answers a request that another node has passed on. */
  serve(request: IncomingMessage, response: ServerResponse): void;
  /** Certifies a new node; absent if this node cannot. */
  enrol?: ((request: unknown) => Promise<object>) | undefined;
  logger: Pick<Logger, 'info' | 'warn'>;
}

/** An open port for other nodes. */
export interface PeerListener {
  port: number;
  stop(): Promise<void>;
}

const enrolmentBytesMax = 8192;
const onlyNodes = 'only nodes of this cluster may connect here';

/**
 * Listens for other nodes, over TLS with the certificates of the cluster's authority. Only a new node, which has none, may ask
 * without one: for a certificate. Rejects with `ADDRESS_UNAVAILABLE`.
 */
export async function listenForPeers(options: PeerListenerOptions): Promise<PeerListener> {
  const { identity, address, nodes, serve, enrol, logger } = options;
  const server = createServer(
    {
      key: identity.key,
      // A new node knows the authority by its fingerprint.
      cert: identity.certificate + identity.authority,
      ca: identity.authority,
      requestCert: true,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.3',
      headersTimeout: 15_000,
      requestTimeout: 60_000,
      keepAliveTimeout: 72_000,
    },
    (request, response) => {
      if (request.method === 'POST' && request.url === '/cluster/join')
        return void answerEnrolment(request, response, enrol, logger);
      void nodeOf(request.socket as TLSSocket, options).then((node) => {
        const known = nodes().find(({ id }) => id === node);
        const actor = request.headers[callerHeader];
        if (
          node === undefined ||
          known === undefined ||
          known.state === 'retired' ||
          typeof actor !== 'string'
        )
          return refuse(response.setHeader(unknownPeerHeader, 'true'), 403, 'NODE_UNUSABLE', onlyNodes);
        notePeer(request, { node, actor });
        serve(request, response);
      });
    },
  );
  server.maxConnections = 8192;
  server.listen({ host: address.host, port: address.port });
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new Refusal(
      'ADDRESS_UNAVAILABLE',
      `cannot listen for other nodes at ${address.host} port ${address.port} (${(cause as Error).message}); set cluster.listen to an address of this machine`,
      { cause },
    );
  }
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const knownSockets = new WeakMap<TLSSocket, Promise<number | undefined>>();

type NodeCheck = Pick<PeerListenerOptions, 'certificateOf' | 'retired' | 'logger'>;

/** The node that a connection is from; `undefined`: from none. Never rejects. */
function nodeOf(socket: TLSSocket, check: NodeCheck): Promise<number | undefined> {
  const known = knownSockets.get(socket) ?? joinedNode(socket, check);
  knownSockets.set(socket, known);
  return known;
}

/** The node that joined with the certificate of a connection. The connection ends when the node is retired. */
async function joinedNode(
  socket: TLSSocket,
  { certificateOf, retired, logger }: NodeCheck,
): Promise<number | undefined> {
  if (!socket.authorized) return undefined;
  const { subject, fingerprint256 } = socket.getPeerCertificate();
  const node = nodeOfSubject(subject?.CN);
  if (node === undefined) return undefined;
  const joined = await certificateOf(node)
    .then((certificate) => certificate && new X509Certificate(certificate).fingerprint256)
    .catch((err: unknown) => {
      logger.warn({ err, node }, 'cannot read the certificate of another node');
    });
  // A retired node can have a copy of the authority's key, which certifies any node again.
  if (joined !== fingerprint256) return undefined;
  const signal = retired(node);
  const end = (): void => void socket.destroy();
  signal.addEventListener('abort', end, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', end));
  return node;
}

async function answerEnrolment(
  request: IncomingMessage,
  response: ServerResponse,
  enrol: PeerListenerOptions['enrol'],
  logger: PeerListenerOptions['logger'],
): Promise<void> {
  try {
    if (enrol === undefined)
      throw new Refusal(
        'CLUSTER_INVALID',
        'this node has no key of the authority; join at the node where "ambit cluster init" ran, or copy cluster/authority.key here and restart the daemon',
      );
    if (!(Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= enrolmentBytesMax))
      throw new Refusal('INVITATION_INVALID', 'the request has no length, or is too long');
    const enrolled = await enrol(parsed(await text(request)));
    logger.info({ node: (enrolled as { name?: unknown }).name }, 'a node has joined the cluster');
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(enrolled));
  } catch (error) {
    logger.warn({ err: error }, 'refused a node that wanted to join');
    if (error instanceof Refusal) return refuse(response, 403, error.code, error.message);
    refuse(
      response,
      500,
      'INTERNAL',
      'the node could not be added; the log of the node that invited has the reason',
    );
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw new Refusal('INVITATION_INVALID', 'the request is not JSON', { cause });
  }
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  response
    .writeHead(status, { 'content-type': 'application/json', connection: 'close' })
    .end(JSON.stringify({ code, message }));
}
