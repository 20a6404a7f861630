import {
  bubblewrapSandbox,
  nodePermissionSandbox,
  probeSandbox,
  type Sandbox,
  type SandboxStatus,
  wasmHostProgram,
} from '@ambit/runtime';

/** The walls of this machine: what there is, and what was found out about it. */
export interface Machine {
  /** Around programs of the host. There is only one; when it does not work, they are refused. */
  process: Sandbox;
  processStatus: SandboxStatus;
  /** Around the hosts of WASM skills: the same, or the best that there is without it. */
  wasm: Sandbox;
}

/** Finds out what this machine can isolate, by trying. */
export async function probeMachine(): Promise<Machine> {
  const bubblewrap = bubblewrapSandbox();
  const processStatus = await probeSandbox(bubblewrap);
  return {
    process: bubblewrap,
    processStatus,
    wasm: processStatus.works ? bubblewrap : nodePermissionSandbox(wasmHostProgram),
  };
}

/** What to do when bubblewrap does not work and said `detail`; for the banner and for `ambit doctor`. */
export function bubblewrapFix(detail: string): string {
  // The kernel gives a new /proc only to those who see all of the one that they have.
  if (detail.includes('mount proc')) {
    return 'Something covers parts of /proc, as container engines do. Have the container see all of it: systempaths=unconfined (docs/deployment.md has it for other engines)';
  }
  return 'Install bubblewrap (apt-get install bubblewrap, dnf install bubblewrap, pacman -S bubblewrap); if it is there, allow unprivileged user namespaces (docs/deployment.md says how in a container)';
}
