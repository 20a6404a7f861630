import { availableParallelism } from 'node:os';
import { cgroupLimits, findHostProgram, howToInstall } from '@ambit/runtime';
import { type DoctorCheck, type DoctorReport, processSandboxCheck } from '../cli/ports/doctor-report.ts';
import type { Config } from '../config/config.ts';
import { dataFiles } from '../setup/data-dir.ts';
import { bubblewrapFix, type Machine, probeMachine } from '../setup/machine.ts';
import { addressCheck } from './address-check.ts';
import { clockCheck } from './clock-check.ts';
import { configurationCheck } from './configuration-check.ts';
import { daemonCheck } from './daemon-check.ts';
import { dataDirCheck } from './data-dir-check.ts';
import { diskCheck } from './disk-check.ts';
import { keysCheck } from './keys-check.ts';
import { pythonCheck } from './python-check.ts';
import { untrustedToolsCheck } from './untrusted-tools-check.ts';
import { epollWatchesMax, userCheck } from './user-check.ts';

/** The host programs that published skills request most often. */
const commonPrograms = ['sh', 'bash', 'python3', 'git', 'node'];

/**
 * Checks what this machine can isolate, the daemon and its files. Without a configuration, checks only the machine: the files
 * may belong to another user. `path` is the `PATH` of the shell.
 */
export async function inspectMachine(
  config: Config | undefined,
  version: string,
  path: string,
): Promise<DoctorReport> {
  const machine = await probeMachine();
  try {
    return {
      checks: [
        nodeCheck(),
        processCheck(machine),
        wasmCheck(machine),
        userCheck({
          boundsRuns: machine.process.boundsRuns,
          hostUser: machine.process.hostUser,
          programs: (config?.queue.concurrency ?? 16) + (config?.prewarm ?? 8),
          epollWatchesMax: epollWatchesMax(),
        }),
        limitsCheck(),
        filterCheck(),
        programsCheck(),
        pythonCheck(path),
        ...(config === undefined ? [] : await filesChecks(config, version)),
      ],
    };
  } finally {
    machine.process.close?.();
  }
}

/** The path of the program that skills run under that name, or how to install it. */
export function programText(name: string): string {
  return findHostProgram(name)?.file ?? `not installed. ${howToInstall(name)}`;
}

async function filesChecks(config: Config, version: string): Promise<DoctorCheck[]> {
  return [
    dataDirCheck(config.dataDir),
    diskCheck(config),
    await keysCheck(config),
    await configurationCheck(config),
    await daemonCheck(config, version),
    await untrustedToolsCheck(config),
    await addressCheck(config),
    clockCheck(dataFiles(config).audit, Date.now()),
  ];
}

function nodeCheck(): DoctorCheck {
  return {
    name: 'node',
    status: 'ok',
    found: `${process.version} on ${process.platform} ${process.arch}, ${availableParallelism()} cores`,
    meaning: 'Ambit runs on this Node',
  };
}

function processCheck({ process: sandbox, processStatus }: Machine): DoctorCheck {
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

function wasmCheck({ wasm, processStatus }: Machine): DoctorCheck {
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

function limitsCheck(): DoctorCheck {
  const cgroup = cgroupLimits();
  cgroup?.close();
  return cgroup === undefined
    ? {
        name: 'limits',
        status: 'limited',
        found: 'no cgroup that this user can write',
        meaning:
          'memory and processor time are limited per process, not per run, and usage is reported as null',
        fix: 'Run Ambit as a systemd service with Delegate=yes, or as root on a machine with cgroup v1',
      }
    : {
        name: 'limits',
        status: 'ok',
        found: cgroup.name,
        meaning: 'memory, processor time and processes of each run are limited and measured',
      };
}

function filterCheck(): DoctorCheck {
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

function programsCheck(): DoctorCheck {
  const installed = commonPrograms.filter((name) => findHostProgram(name) !== undefined);
  const missing = commonPrograms.filter((name) => !installed.includes(name));
  return {
    name: 'programs',
    status: missing.length === 0 ? 'ok' : 'limited',
    found: installed.length === 0 ? 'none of the common ones' : installed.join(', '),
    meaning: 'skills can request these in run.capabilities.exec',
    fix: missing.length === 0 ? undefined : `If a skill needs them, install ${missing.join(', ')}`,
  };
}
