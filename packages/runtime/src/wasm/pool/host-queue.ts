import type { HostKind } from './host-command.ts';
import { type IdleHosts, isOfKind } from './idle-hosts.ts';
import type { LiveHosts } from './live-hosts.ts';
import { type WaitingCall, waitingCall } from './waiting-call.ts';
import type { WasmHost } from './wasm-host.ts';

/** The size of a pool. */
export interface PoolSize {
  /** The number of hosts that wait for calls, once there have been calls for them. */
  ahead: number;
  /** The maximum number of hosts; further calls wait for one. */
  max: number;
}

/** Brings calls and hosts together, in the order of arrival. */
export interface HostQueue {
  /** An idle host, or the first that becomes free or starts; `undefined` if `signal` aborts first. */
  take(kind: HostKind, key: string, signal: AbortSignal): Promise<WasmHost | undefined>;
  /** Whether a waiting call took the host. */
  hand(host: WasmHost): boolean;
  /** Serves waiting calls when a host or a slot has become free. */
  serve(): void;
  /** The number of waiting calls. */
  count(): number;
  /** Ends the waiting of all calls: they get no host. */
  cancel(): void;
}

interface Parts {
  live: LiveHosts;
  idle: IdleHosts;
  size: PoolSize;
  put(host: WasmHost): void;
  endIdle(host: WasmHost): void;
  /** Called when a call gets a host. */
  onServed(): void;
}

export function hostQueue({ live, idle, size: { ahead, max }, put, endIdle, onServed }: Parts): HostQueue {
  const waiting: WaitingCall[] = [];
  let served = 0;

  const countServed = (): void => {
    served++;
    onServed();
  };
  const pick = (kind: HostKind, key: string): WasmHost | undefined => {
    const host = idle.pick(kind, key);
    if (host !== undefined) countServed();
    return host;
  };
  /** A call can end twice: another host may serve it before the start of its own fails. */
  const dequeue = (call: WaitingCall): void => {
    const index = waiting.indexOf(call);
    if (index !== -1) waiting.splice(index, 1);
  };
  const startFor = (call: WaitingCall): void => {
    call.hasStarting = true;
    live.open(call.kind).then(put, call.reject);
  };
  /**
   * Whether another host may start. During a peak only one at a time, because starting hosts slow
   * each other down.
   */
  const hasRoom = ({ isImpatient }: WaitingCall): boolean =>
    live.count() < ahead || (isImpatient && live.count() < max && live.starting() === 0);
  const serve = (): void => {
    for (const call of [...waiting]) {
      const host = pick(call.kind, call.key);
      if (host !== undefined) call.resolve(host);
      else if (!call.hasStarting && hasRoom(call)) startFor(call);
      else if (!call.hasStarting) {
        // A waiting host of another kind takes the slot of a needed one.
        const [other] = idle.all();
        if (other === undefined) continue;
        endIdle(other);
        startFor(call);
      }
    }
  };

  return {
    async take(kind, key, signal) {
      const idleHost = pick(kind, key);
      if (idleHost !== undefined) return idleHost;
      const { call, host } = waitingCall(kind, key, signal, {
        served: () => served,
        hosts: live.count,
        onImpatient: serve,
        onDone: dequeue,
      });
      waiting.push(call);
      serve();
      return host;
    },
    hand(host) {
      const call = host.isSpent() ? undefined : waiting.find(({ kind }) => isOfKind(host, kind));
      if (call === undefined) return false;
      countServed();
      call.resolve(host);
      return true;
    },
    serve,
    count: () => waiting.length,
    cancel() {
      for (const call of [...waiting]) call.resolve(undefined);
    },
  };
}
