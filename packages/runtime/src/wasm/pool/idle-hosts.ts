import type { SharedMemory } from '@ambit/core/execute';
import { type HostKind, hostOwnBytes } from './host-command.ts';
import type { WasmHost } from './wasm-host.ts';

/** Hosts that wait for a call, in order of last use. Each holds its own part of the shared memory, which calls take from it. */
export interface IdleHosts {
  count(): number;
  all(): readonly WasmHost[];
  /** Whether the host can wait. Otherwise calls need its memory. */
  park(host: WasmHost): boolean;
  /** Whether the host waited. It no longer does, and its memory is free. */
  unpark(host: WasmHost): boolean;
  /** Unparks the last used matching host that has the entry, otherwise the last used matching host. */
  pick(kind: HostKind, key: string): WasmHost | undefined;
}

/** `evict` ends a host whose memory a call takes. */
export function idleHosts(memory: SharedMemory, evict: (host: WasmHost) => Promise<void>): IdleHosts {
  const idle = new Map<WasmHost, () => void>();
  const unpark = (host: WasmHost): boolean => {
    idle.get(host)?.();
    return idle.delete(host);
  };
  return {
    count: () => idle.size,
    all: () => [...idle.keys()],
    park(host) {
      const free = memory.holdIdle(hostOwnBytes, async () => {
        if (idle.delete(host)) await evict(host);
      });
      if (free !== undefined) idle.set(host, free);
      return free !== undefined;
    },
    unpark,
    pick(kind, key) {
      let found: WasmHost | undefined;
      for (const host of idle.keys()) {
        if (host.isSpent() || !isOfKind(host, kind)) continue;
        if (host.holds(key) || found?.holds(key) !== true) found = host;
      }
      return found !== undefined && unpark(found) ? found : undefined;
    },
  };
}

export function isOfKind(host: WasmHost, kind: HostKind): boolean {
  return host.kind === kind || JSON.stringify(host.kind) === JSON.stringify(kind);
}
