import { once } from 'node:events';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { addressProblem, isLoopback, oneAddress } from '../config/listen-address.ts';
import { Refusal } from '../errors/refusal.ts';
import { listeningUrl } from './connections/listening-url.ts';
import { backlog } from './connections/server-options.ts';
import { shuttingDown } from './problem/refusal.ts';

/** The listener of a daemon on demand for its web console, on loopback only. It listens while the console is in use. */
export interface ConsoleListener {
  /**
   * Resolves to the URL at which `app` listens, until the console is no longer in use. Rejects with `ADDRESS_UNAVAILABLE`, and
   * after `end` with `SHUTTING_DOWN`.
   */
  open(app: ListeningApp): Promise<string>;
  /** Resolves when it does not listen. */
  closed(): Promise<void>;
  /** Opens no more. For before the app closes, which closes its server. */
  end(): Promise<void>;
}

type ListeningApp = Pick<FastifyInstance, 'server' | 'endConnections'>;

export interface ConsoleListenerOptions {
  /** The configured address; port 0: a free one. A host that other machines can reach is replaced with 127.0.0.1. */
  place(): { host: string; port: number };
  /** Whether a session is open, or may be opened with a code. */
  isInUse(): boolean;
  /** Announces its URL, or that it has none. */
  announce(url: string | undefined): Promise<void>;
  logger: Pick<Logger, 'info' | 'error'>;
}

/** The interval between two looks at the use of the console: sessions and codes also end by time, and with a reload. */
const lookMs = 500;

/** Does not listen yet. */
export function consoleListener({
  place,
  isInUse,
  announce,
  logger,
}: ConsoleListenerOptions): ConsoleListener {
  let opened: { url: string; close(): Promise<void>; closed: Promise<void> } | undefined;
  let hasEnded = false;
  /** Whether it was asked for since the last look. The code for it may not be issued yet. */
  let wasAsked = false;
  // One opening or closing at a time.
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(task: () => Promise<Result>): Promise<Result> => {
    const result = turn.then(task);
    turn = result.catch(() => undefined);
    return result;
  };

  const listen = async ({ server, endConnections }: ListeningApp): Promise<string> => {
    const { host, port } = place();
    const address = await loopbackAddress(host);
    try {
      server.listen({ host: address, port, backlog });
      await once(server, 'listening');
    } catch (cause) {
      throw unavailable(`${address}:${port}`, cause);
    }
    const url = listeningUrl(server) ?? '';
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const timer = setInterval(() => void inTurn(look), lookMs).unref();
    const close = async (): Promise<void> => {
      opened = undefined;
      clearInterval(timer);
      server.close();
      endConnections();
      resolve();
      logger.info({ url }, 'the web console is no longer in use, and its listener is closed');
      await announce(undefined);
    };
    opened = { url, close, closed };
    await announce(url);
    logger.info({ url }, 'listening for the web console');
    return url;
  };
  const look = async (): Promise<void> => {
    const isNeeded = wasAsked || isInUse() || hasEnded;
    wasAsked = false;
    if (isNeeded) return;
    await opened
      ?.close()
      .catch((err: unknown) => logger.error({ err }, 'cannot announce that the web console has no address'));
  };

  return {
    open: (app) =>
      inTurn(async () => {
        if (hasEnded) throw shuttingDown();
        const url = opened?.url ?? (await listen(app));
        wasAsked = true;
        return url;
      }),
    closed: async () => opened?.closed,
    async end() {
      hasEnded = true;
      await turn;
    },
  };
}

/** The address of a host that only this machine can reach; of any other host, and if `localhost` is none, 127.0.0.1. */
async function loopbackAddress(host: string): Promise<string> {
  const address = isLoopback(host) ? await oneAddress(host).catch(() => '') : host;
  return isLoopback(address) ? address : '127.0.0.1';
}

function unavailable(address: string, cause: unknown): Error {
  const problem = addressProblem(cause);
  if (problem === undefined) return cause as Error;
  return new Refusal(
    'ADDRESS_UNAVAILABLE',
    `cannot listen on ${address} for the web console: ${problem}. End what listens there, or set another listen.port in the configuration; without one, a free port is used`,
    { cause },
  );
}
