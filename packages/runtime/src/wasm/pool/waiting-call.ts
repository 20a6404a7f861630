import type { HostKind } from './host-command.ts';
import type { WasmHost } from './wasm-host.ts';

/** A call that waits for a host. */
export interface WaitingCall {
  kind: HostKind;
  key: string;
  /** Whether a host is starting for it. */
  hasStarting: boolean;
  /**
   * Whether it has waited so long, with so few other calls served, that another host should start.
   */
  isImpatient: boolean;
  resolve(host: WasmHost | undefined): void;
  reject(error: unknown): void;
}

/**
 * The time that a call waits for a busy host before another is started, which takes as long as many
 * calls. No host is started while each host takes more than `callsOfBusyHost` calls in that time:
 * such calls are short and wait for a processor, which another host would only share.
 */
const patienceMs = 100;
const callsOfBusyHost = 2;

interface Pool {
  /** The number of calls that have got a host so far. */
  served(): number;
  hosts(): number;
  onImpatient(): void;
  /** Called before the call settles. */
  onDone(call: WaitingCall): void;
}

/** Waits until `resolve`, `reject`, or `signal` aborts: then for nothing. */
export function waitingCall(
  kind: HostKind,
  key: string,
  signal: AbortSignal,
  pool: Pool,
): { call: WaitingCall; host: Promise<WasmHost | undefined> } {
  const { promise: host, resolve, reject } = Promise.withResolvers<WasmHost | undefined>();
  let servedBefore = pool.served();
  const impatience = setInterval(() => {
    call.isImpatient ||= pool.served() - servedBefore <= callsOfBusyHost * pool.hosts();
    servedBefore = pool.served();
    if (call.isImpatient) pool.onImpatient();
  }, patienceMs);
  const cancel = (): void => call.resolve(undefined);
  const done = (): void => {
    clearInterval(impatience);
    signal.removeEventListener('abort', cancel);
    pool.onDone(call);
  };
  const call: WaitingCall = {
    kind,
    key,
    hasStarting: false,
    isImpatient: false,
    resolve(found) {
      done();
      resolve(found);
    },
    reject(error) {
      done();
      reject(error);
    },
  };
  signal.addEventListener('abort', cancel, { once: true });
  return { call, host };
}
