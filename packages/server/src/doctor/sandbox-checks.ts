import { cgroupLimits } from '@ambit/runtime';
import { bubblewrapFix } from '../setup/bubblewrap-fix.ts';
import type { Machine } from '../setup/machine.ts';
import { type DoctorCheck, processSandboxCheck } from './doctor-report.ts';

/** Whether host programs can run in a sandbox. */
export function processCheck({ process: sandbox, processStatus }: Machine): DoctorCheck {
  return processStatus.works
    ? {
        name: processSandboxCheck,
        status: 'ok',
        found: `${sandbox.name}, tested`,
        meaning: 'host programs run in their own namespaces, in an empty root',
      }
    : {
        name: processSandboxCheck,
        status: 'missing',
        found: processStatus.detail,
        meaning: 'process skills are refused with SANDBOX_UNAVAILABLE',
        fix: bubblewrapFix(processStatus.detail),
      };
}

/** Checks what isolates WASM skills besides WebAssembly. */
export function wasmCheck({ wasm, processStatus }: Machine): DoctorCheck {
  return processStatus.works
    ? {
        name: 'wasm sandbox',
        status: 'ok',
        found: wasm.name,
        meaning: 'WASM skills have two layers: WebAssembly, and a host process in this sandbox',
      }
    : {
        name: 'wasm sandbox',
        status: 'limited',
        found: wasm.name,
        meaning:
          'WASM skills are isolated by WebAssembly. Around it, Node’s permission model blocks files, programs and threads, but not the network',
        fix: bubblewrapFix(processStatus.detail),
      };
}

/** Whether the kernel limits and measures each run as a whole. */
export function limitsCheck(): DoctorCheck {
  const cgroup = cgroupLimits();
  cgroup?.close();
  return cgroup === undefined
    ? {
        name: 'limits',
        status: 'limited',
        found: 'no cgroup that this user can write',
        meaning:
          'memory and processor time are limited per process, not per run, and usage is reported as null',
        fix: 'Run Ambit as a systemd service with Delegate=yes, or as root on a machine with cgroup v1. For a container, limit its memory, processors and processes',
      }
    : {
        name: 'limits',
        status: 'ok',
        found: cgroup.name,
        meaning: 'memory, processor time and processes of each run are limited and measured',
      };
}

/** Whether Ambit has a seccomp filter for this processor. */
export function filterCheck(): DoctorCheck {
  return process.arch === 'x64' || process.arch === 'arm64'
    ? {
        name: 'seccomp',
        status: 'ok',
        found: process.arch,
        meaning: 'the kernel refuses system calls that no skill needs',
      }
    : {
        name: 'seccomp',
        status: 'limited',
        found: `no filter for ${process.arch}`,
        meaning: 'process skills do not run; WASM skills run under Node’s permission model',
        fix: 'Use a machine with x86-64 or arm64',
      };
}
