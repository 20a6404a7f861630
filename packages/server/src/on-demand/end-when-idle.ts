import type { Server } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

/** The uses of a daemon on demand, and the reaction when there are none. */
export interface IdleOptions {
  /** Its private socket, not listening yet. A call, a stream or a session with notifications has an open connection. */
  server: Server;
  /** Resolves when nothing runs without a connection: asynchronous executions, and records that are being written. */
  settled(): Promise<unknown>;
  idleMs(): number;
  /** Called once. The daemon must end then, and refuse new calls. */
  onIdle(): void;
}

/** The wait for the end of a daemon on demand. */
export interface IdleEnd {
  /** Starts to wait. */
  begin(): void;
  /** Whether `onIdle` was called. */
  isOver(): boolean;
  /** From now on, ends the daemon as soon as nothing uses it. */
  hurry(): void;
  /**
   * Resolves when the open connections are closed, at most after a while. For after the socket was removed: the request of a
   * connection that was made just before is still answered.
   */
  quiet(): Promise<void>;
  stop(): void;
}

/** The least time for the command that started the daemon to connect. */
const firstMs = 10_000;

/** The time that a client needs to send its request. */
const quietMaxMs = 500;

/** Calls `onIdle` when nothing has used the daemon for its idle time. */
export function endWhenIdle({ server, settled, idleMs, onIdle }: IdleOptions): IdleEnd {
  let open = 0;
  /** Counts all connections, to see whether there was one during a wait. */
  let accepted = 0;
  let state: 'starting' | 'waiting' | 'over' = 'starting';
  let isHurried = false;
  let timer: NodeJS.Timeout | undefined;

  const isUsedSince = (before: number): boolean => open > 0 || accepted > before || state !== 'waiting';

  const look = async (): Promise<void> => {
    const before = accepted;
    if (isUsedSince(before)) return;
    const isSettled = await Promise.race([settled().then(() => true), nextTurn(false)]);
    if (!isSettled) await settled();
    // The end of a connection that was made meanwhile starts the next wait.
    if (isUsedSince(before)) return;
    if (!isSettled) return wait();
    state = 'over';
    onIdle();
  };
  const wait = (): void => {
    clearTimeout(timer);
    if (open > 0 || state !== 'waiting') return;
    const waitMs = accepted === 0 ? Math.max(firstMs, idleMs()) : idleMs();
    timer = setTimeout(() => void look(), isHurried ? 0 : waitMs);
  };

  server.on('connection', (socket) => {
    open += 1;
    accepted += 1;
    clearTimeout(timer);
    socket.once('close', () => {
      open -= 1;
      wait();
    });
  });

  return {
    begin() {
      if (state === 'starting') state = 'waiting';
      wait();
    },
    isOver: () => state === 'over',
    hurry() {
      isHurried = true;
      wait();
    },
    async quiet() {
      // Accepts the connections that the kernel has.
      for (let turn = 0; turn < 2; turn += 1) await nextTurn();
      const deadline = performance.now() + quietMaxMs;
      while (open > 0 && performance.now() < deadline) await delay(5);
    },
    stop() {
      state = 'over';
      clearTimeout(timer);
    },
  };
}
