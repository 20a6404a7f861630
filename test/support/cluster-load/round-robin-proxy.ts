import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A load balancer in front of nodes, as an operator has one: HTTP, round robin, with health checks. */
export interface RoundRobinProxy {
  url: string;
  /** Adds a node, or replaces the address of a known one. It gets requests once it is ready. */
  use(name: string, url: string): void;
  /** The nodes that get requests. */
  serving(): readonly string[];
  close(): Promise<void>;
}

interface Target {
  name: string;
  url: string;
  isReady: boolean;
}

const checkEveryMs = 100;
const checkTimeoutMs = 1000;

/**
 * Starts a proxy on a free port. A node is out of service while its `/readyz` is not 200, and from a failed connection to
 * the next successful check. A request whose connection fails is answered with 502: only its client may repeat it.
 */
export async function roundRobinProxy(): Promise<RoundRobinProxy> {
  const targets = new Map<string, Target>();
  const closed = new AbortController();
  let turn = 0;
  const ready = (): Target[] => [...targets.values()].filter(({ isReady }) => isReady);

  const pass = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(incoming);
    const serving = ready();
    const target = serving[turn++ % serving.length];
    if (target === undefined) return refuse(response, 503, 'no node is ready');
    const { hostname, port, host } = new URL(target.url);
    const { method, url, headers } = incoming;
    const outgoing = request({ hostname, port, method, path: url, headers: { ...headers, host } });
    // The client may be gone.
    response.on('close', () => outgoing.destroy());
    const fail = (error: Error): void => {
      target.isReady = false;
      if (response.headersSent) response.destroy();
      else refuse(response, 502, `${target.name}: ${error.message}`);
    };
    outgoing.on('error', fail).on('response', (answer) => {
      answer.on('error', fail);
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.end(body);
  };
  const check = async (target: Target): Promise<void> => {
    const signal = AbortSignal.any([closed.signal, AbortSignal.timeout(checkTimeoutMs)]);
    const isReady = await fetch(`${target.url}/readyz`, { signal }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status === 200;
      },
      () => false,
    );
    if (targets.get(target.name) === target) target.isReady = isReady;
  };

  const server = createServer((incoming, response) => {
    pass(incoming, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const timer = setInterval(() => {
    for (const target of targets.values()) void check(target);
  }, checkEveryMs);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    use(name, url) {
      const target = { name, url, isReady: false };
      targets.set(name, target);
      void check(target);
    },
    serving: () => ready().map(({ name }) => name),
    async close() {
      clearInterval(timer);
      closed.abort();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function refuse(response: ServerResponse, status: number, detail: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '1' });
  response.end(JSON.stringify({ code: 'PROXY', detail }));
}
