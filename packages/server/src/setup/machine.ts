import { type SharedMemory, sharedMemory } from '@ambit/core/execute';
import {
  availableMemoryBytes,
  bubblewrapSandbox,
  nodePermissionSandbox,
  type Pin,
  probeSandbox,
  type Sandbox,
  type SandboxStatus,
  wasmHostProgram,
} from '@ambit/runtime';
import { bubblewrapFix } from './bubblewrap-fix.ts';

/** The sandboxes of this machine. */
export interface Machine {
  /** The sandbox of process skills. If it does not work, they are refused. */
  process: Sandbox;
  processStatus: SandboxStatus;
  /** The time when it was tested, by `performance.now()`. */
  probedAtMs: number;
  /** The sandbox of WASM host processes: the same one, or Node's permission model if that does not work. */
  wasm: Sandbox;
  /** The memory that all runs share, under any configuration: calls of an earlier one may still run. */
  memory: SharedMemory;
  /** The state of the data directory and the trust store when this process first used them. */
  pins: Map<string, Pin>;
}

/** Tests what this machine can isolate. `lasts` is true in a daemon: its next calls find a process that has started. */
export async function probeMachine({ lasts = false } = {}): Promise<Machine> {
  const bubblewrap = bubblewrapSandbox({ startsAhead: lasts });
  const processStatus = await probeSandbox(bubblewrap);
  return {
    process: bubblewrap,
    processStatus,
    probedAtMs: performance.now(),
    memory: sharedMemory(availableMemoryBytes()),
    pins: new Map(),
    wasm: processStatus.works ? bubblewrap : nodePermissionSandbox(wasmHostProgram),
  };
}

/** The name of the sandbox for one runtime; or why there is none, and how to fix that. */
export type SandboxState = { works: true; name: string } | { works: false; detail: string; fix: string };

/** The sandboxes as the banner shows them. */
export function sandboxStates({ process, processStatus, wasm }: Machine): {
  process: SandboxState;
  wasm: SandboxState;
} {
  return {
    process: processStatus.works
      ? { works: true, name: process.name }
      : { works: false, detail: processStatus.detail, fix: bubblewrapFix(processStatus.detail) },
    wasm: { works: true, name: wasm.name },
  };
}
