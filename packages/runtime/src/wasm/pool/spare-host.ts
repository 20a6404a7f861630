import type { HostKind } from './host-command.ts';
import { isOfKind } from './idle-hosts.ts';
import type { WasmHost } from './wasm-host.ts';

/** The host that `check` starts to see whether hosts can be started. It waits a while for a call. */
export interface SpareHost {
  /** Resolves when a host has started, and rejects if it cannot. */
  check(kind: HostKind): Promise<void>;
  /** A call took a host, so a host that waits is no longer spare. */
  drop(): void;
  /** Ends the spare host, unless it is of this kind: then it stays for calls. */
  giveWayTo(kind: HostKind): Promise<void>;
}

interface Pool {
  open(kind: HostKind): Promise<WasmHost>;
  put(host: WasmHost): void;
  endIdle(host: WasmHost): void;
  lingerMs: number;
}

export function spareHost({ open, put, endIdle, lingerMs }: Pool): SpareHost {
  let checking: Promise<void> | undefined;
  let spare: WasmHost | undefined;
  const start = async (kind: HostKind): Promise<void> => {
    const host = await open(kind);
    spare = host;
    put(host);
    setTimeout(() => {
      if (spare === host) endIdle(host);
    }, lingerMs).unref();
  };
  return {
    check(kind) {
      checking ??= start(kind).finally(() => {
        checking = undefined;
      });
      return checking;
    },
    drop() {
      spare = undefined;
    },
    async giveWayTo(kind) {
      await checking?.catch(() => undefined);
      if (spare !== undefined && !isOfKind(spare, kind)) endIdle(spare);
      spare = undefined;
    },
  };
}
