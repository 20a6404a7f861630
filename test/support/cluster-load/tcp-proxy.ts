import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** The network between a node and its database, which can be slow, silent or gone. */
export interface TcpProxy {
  port: number;
  /** Delays everything that the server sends by this many milliseconds. */
  slowDown(ms: number): void;
  /** Ends all connections, and from now on ends each new one. */
  cut(): void;
  /** Carries nothing more over any connection, and ends none. */
  silence(): void;
  /** Carries everything again, without delay. */
  restore(): void;
  /** Carries the next bytes that contain `text` to the server, and ends their connection before the answer. */
  loseAnswer(text: string): void;
  close(): Promise<void>;
}

type Change = (bytes: Buffer) => Buffer;

/** Starts a proxy on a free port of 127.0.0.1 for the server at `port`; it may change what the server sends. */
export async function tcpProxy(port: number, changed: Change = (bytes) => bytes): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let delayMs = 0;
  let isCut = false;
  let losesAt: string | undefined;
  let carrying = Promise.resolve();
  let carryAgain: () => void = () => undefined;

  /** Carries bytes in their order, each chunk as late as it was to be when it arrived. */
  const carry = (from: Socket, to: Socket, delayed: () => number, change: Change): void => {
    let last: Promise<unknown> = Promise.resolve();
    from.on('data', (bytes) => {
      const due = performance.now() + delayed();
      last = last.then(async () => {
        const early = due - performance.now();
        if (early > 0) await delay(early);
        await carrying;
        to.write(change(bytes));
      });
    });
    from.on('close', () => void last.then(() => to.destroy()));
    from.on('error', () => undefined);
  };
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay().on('close', () => sockets.delete(socket));
    }
    const losing: Change = (bytes) => {
      if (losesAt === undefined || !bytes.includes(losesAt)) return bytes;
      losesAt = undefined;
      upstream.removeAllListeners('data').once('data', () => client.destroy());
      return bytes;
    };
    carry(client, upstream, () => 0, losing);
    carry(upstream, client, () => delayMs, changed);
    return undefined;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    slowDown(ms) {
      delayMs = ms;
    },
    cut,
    silence() {
      ({ promise: carrying, resolve: carryAgain } = Promise.withResolvers<void>());
    },
    restore() {
      [isCut, delayMs] = [false, 0];
      carryAgain();
    },
    loseAnswer(text) {
      losesAt = text;
    },
    async close() {
      cut();
      carryAgain();
      server.close();
      await once(server, 'close');
    },
  };
}
