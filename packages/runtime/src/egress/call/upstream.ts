import { once } from 'node:events';
import { Agent } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { connect, type SecureContext } from 'node:tls';
import type { Origin } from '@ambit/core/egress';
import { type CheckedAddresses, type Dial, isAddress } from './checked-addresses.ts';
import { dialChecked } from './dial-checked.ts';

/** Upstream connections of one call. Idle ones are reused only by the same call. */
export interface Upstream {
  agentFor(origin: Origin): Agent;
  /** A raw connection. Throws the connection error. */
  connection(origin: Origin, signal: AbortSignal): Promise<Socket>;
  close(): void;
}

/** The time that an idle connection stays open, in milliseconds. */
const idleMs = 4000;

/** `signal` aborts pending connection attempts. */
export function upstream(
  addressesOf: CheckedAddresses,
  {
    dial,
    trusted,
    connections,
    connectMs,
  }: {
    dial: Dial;
    trusted: SecureContext;
    connections: number;
    connectMs: number;
  },
  signal: AbortSignal,
): Upstream {
  const agents = new Map<string, Agent>();
  const connection = async ({ host, port }: Origin, until: AbortSignal): Promise<Socket> =>
    dialChecked(dial, await addressesOf(host, port), port, until);
  const connected = async (origin: Origin): Promise<Socket> => {
    const until = AbortSignal.any([signal, AbortSignal.timeout(connectMs)]);
    const socket = await connection(origin, until);
    return origin.scheme === 'https' ? secured(socket, origin.host, trusted, until) : socket;
  };
  return {
    connection,
    agentFor(origin) {
      const key = `${origin.scheme}://${origin.host}:${origin.port}`;
      const agent = agents.get(key) ?? checkedAgent(connections, () => connected(origin));
      agents.set(key, agent);
      return agent;
    },
    close() {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

/** An agent that can only connect through `connected`. */
function checkedAgent(connections: number, connected: () => Promise<Socket>): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, timeout: idleMs });
  agent.createConnection = (_options, callback) => {
    connected().then(
      (socket) => callback?.(null, socket),
      // A failed connection has no socket to pass, which the types do not allow for.
      (error: Error) => (callback as ((error: Error) => void) | undefined)?.(error),
    );
    return undefined;
  };
  return agent;
}

async function secured(
  socket: Socket,
  host: string,
  trusted: SecureContext,
  signal: AbortSignal,
): Promise<Socket> {
  const name = host.replace(/^\[|\]$/g, '');
  const secure = connect({
    socket,
    host: name,
    servername: isAddress(host) && isIP(name) ? undefined : name,
    secureContext: trusted,
    ALPNProtocols: ['http/1.1'],
  });
  try {
    await once(secure, 'secureConnect', { signal });
  } catch (error) {
    secure.on('error', () => undefined).destroy();
    socket.destroy();
    throw error;
  }
  return secure;
}
