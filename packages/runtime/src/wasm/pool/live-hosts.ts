import type { SharedMemory } from '@ambit/core/execute';
import type { HostKind } from './host-command.ts';
import type { WasmHost } from './wasm-host.ts';

/** The hosts that run, start or end. */
export interface LiveHosts {
  /** Hosts that run or are starting. */
  count(): number;
  starting(): number;
  /** Hosts started since the pool was created. */
  started(): number;
  /** Whether hosts can be started, as far as is known: the last start succeeded. */
  canStart(): boolean;
  open(kind: HostKind): Promise<WasmHost>;
  /** Ends a host that `open` returned. */
  end(host: WasmHost): Promise<void>;
  /** Resolves when no host starts or ends any more. */
  settle(): Promise<void>;
}

export function liveHosts(
  start: (kind: HostKind) => Promise<WasmHost>,
  memory: SharedMemory,
  /** Called when a host has ended by itself or was ended. */
  onGone: (host: WasmHost) => void,
): LiveHosts {
  const opening = new Set<Promise<WasmHost>>();
  const ending = new Set<Promise<void>>();
  let [count, started] = [0, 0];
  let canStart = false;
  return {
    count: () => count,
    starting: () => opening.size,
    started: () => started,
    canStart: () => canStart,
    async open(kind) {
      count++;
      const opened = memory.makeRoom().then(() => start(kind));
      opening.add(opened);
      try {
        const host = await opened;
        started++;
        canStart = true;
        void host.gone.then(() => onGone(host));
        return host;
      } catch (error) {
        count--;
        canStart = false;
        throw error;
      } finally {
        opening.delete(opened);
      }
    },
    end(host) {
      count--;
      const ended = host.close().finally(() => ending.delete(ended));
      ending.add(ended);
      return ended;
    },
    async settle() {
      await Promise.allSettled(opening);
      await Promise.all(ending);
    },
  };
}
