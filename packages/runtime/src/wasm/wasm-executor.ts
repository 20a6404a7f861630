import { availableParallelism } from 'node:os';
import {
  type ExecutionInput,
  type Grant,
  neverRun,
  SkillError,
  type SkillExecutor,
  type SkillState,
} from '@ambit/core';
import {
  type Egress,
  egressOf,
  maskedBytes,
  maskOf,
  networkKinds,
  openCallGate,
  usesNetwork,
} from '../egress/call-egress.ts';
import type { CallGate } from '../egress/call-gate.ts';
import { type Environment, namedVariables } from '../environment/environment.ts';
import { jsonBytes } from '../json/json-bytes.ts';
import type { JsonThread } from '../json/json-thread.ts';
import { type LiveRun, liveRun } from '../live/live-run.ts';
import { grantedMounts, type OwnPaths } from '../process/granted-paths.ts';
import type { Sandbox } from '../process/sandbox/sandbox.ts';
import { answersFor } from './answers-for.ts';
import { callBounds } from './call-bounds.ts';
import { callExecution } from './call-execution.ts';
import { ownKinds } from './enforced-kinds.ts';
import { entryOf } from './entry/entry-of.ts';
import type { HostKind } from './pool/host-command.ts';
import { type HostPoolLoad, hostPool } from './pool/host-pool.ts';
import type { World } from './pool/host-protocol.ts';
import { type HostAnswer, startHost } from './pool/wasm-host.ts';

/** What the WASM executor is made of. */
export interface WasmExecutorOptions {
  /** The walls around the host processes: WebAssembly is the first, this is the second. */
  sandbox: Sandbox;
  /** Where skills keep what they are granted to keep. */
  state: SkillState;
  /** What belongs to Ambit itself and stays out of reach, whatever is granted around it. */
  own?: OwnPaths;
  /** Where the values of granted environment variables come from. */
  environment?: Environment;
  /** The way to the network; without it a grant of one is not run. */
  egress?: Egress;
  /** Where large outputs are read; absent: where calls are served. */
  json?: JsonThread;
  /** How many host processes wait for calls; as many as there are processors when absent. */
  hosts?: number;
  /** How many there are at most: as many calls run side by side. */
  hostsMost?: number;
}

/** The executor, and how its hosts are doing. */
export interface WasmExecutor extends SkillExecutor {
  /** Rejects with `SANDBOX_UNAVAILABLE` while no host process can be started. */
  check(): Promise<void>;
  load(): HostPoolLoad;
}

/** What all but unusual grants have at most: they share their hosts. */
const hostMemoryBytesLeast = 256 * 1024 * 1024;

/**
 * Runs skills that are WebAssembly: Extism plug-ins, WASI preview 1 commands, and scripts, by QuickJS. Each call has a
 * fresh instance, in a host process that has its own walls and runs one call at a time; a host that a call has ended, or
 * has brought down, is replaced. Hosts are apart by the tier of their skills and by what of the host is mounted in them.
 *
 * `execute` throws `SKILL_INVALID` for an entry that cannot be called, `CAPABILITY_UNSUPPORTED` for a grant of a workspace,
 * and `SANDBOX_UNAVAILABLE` when a host process does not start.
 */
export function wasmExecutor({
  sandbox,
  state,
  own = { hidden: [], readOnly: [] },
  environment = {},
  egress,
  json,
  hosts = availableParallelism(),
  hostsMost = Math.max(16, hosts),
}: WasmExecutorOptions): WasmExecutor {
  const pool = hostPool((kind) => startHost(sandbox, kind), { ahead: hosts, most: hostsMost });
  const plainKinds = new Map<string, HostKind>();
  const kindOf = (grant: Grant): HostKind | Promise<HostKind> => {
    refuseWorkspace(grant);
    const plain = { tier: grant.skill.tier, memoryBytes: memoryClass(grant), mounts: [], hidden: [] };
    if (grantsFiles(grant)) return mountedKind(grant, plain);
    // The same object for the same kind: hosts are compared for each call.
    const name = `${plain.tier} ${plain.memoryBytes}`;
    const known = plainKinds.get(name) ?? plain;
    plainKinds.set(name, known);
    return known;
  };
  const mountedKind = async (grant: Grant, plain: HostKind): Promise<HostKind> => {
    const { mounts, hidden } = await grantedMounts(grant, { hostUser: sandbox.hostUser, own });
    return { ...plain, mounts, hidden };
  };
  return {
    enforces: [...ownKinds, ...(egress === undefined ? [] : networkKinds)],
    async execute(grant, input, signal, watch) {
      const { skill, limits } = grant;
      if (input.protocol !== 'json') {
        throw new SkillError(
          'INPUT_INVALID',
          `${skill.id} is a WASM skill: send "input" instead of "args" and "stdin"`,
        );
      }
      const entry = entryOf(skill);
      const kind = await kindOf(grant);
      const cameAt = performance.now();
      const host = await pool.take(kind, entry.key, signal);
      const waitedMs = performance.now() - cameAt;
      if (host === undefined) return neverRun(signal.reason, sandbox.name);
      let survived = true;
      let gate: CallGate | undefined;
      let live: LiveRun | undefined;
      let answer: HostAnswer;
      try {
        try {
          gate = egress !== undefined && usesNetwork(grant) ? await openCallGate(egress, grant) : undefined;
          live = watch && liveRun(watch, maskOf(gate));
          answer = await host.call(
            {
              key: entry.key,
              ...(host.holds(entry.key) ? {} : { entry: await entry.read() }),
              input: jsonBytes(input.value),
              bounds: callBounds(grant),
              world: worldOf(grant, input, environment, gate),
              timeoutMs: limits.timeoutMs,
              cpuMs: limits.cpuMs,
              answer: answersFor(grant, input, state, gate),
              onLog: (lines) => live?.add('log', lines),
            },
            signal,
          );
          survived = answer.end.status === 'done';
        } finally {
          // Before its output is read: others wait for the host.
          pool.give(host, survived);
        }
        const masked = await maskedAnswer(gate, answer);
        const ended = await callExecution(grant, masked, sandbox.name, { gate, json });
        return { ...egressOf(gate), ...ended, waitedMs };
      } finally {
        live?.end();
        gate?.close();
      }
    },
    prewarm: async (grant) => pool.warm(await kindOf(grant)),
    check: () => pool.check({ tier: 'local', memoryBytes: hostMemoryBytesLeast, mounts: [], hidden: [] }),
    load: () => pool.load(),
    close: () => pool.close(),
  };
}

function refuseWorkspace({ skill, capabilities: { filesystem } }: Grant): void {
  if (!filesystem.write.includes('workspace') && !filesystem.read.includes('workspace')) return;
  throw new SkillError(
    'CAPABILITY_UNSUPPORTED',
    `${skill.id} is granted a workspace, which skills with runtime wasm do not have; take it out of its ambit.yaml`,
    { details: { capabilities: ['filesystem.write'] } },
  );
}

function grantsFiles({ capabilities: { filesystem } }: Grant): boolean {
  return filesystem.read.length + filesystem.write.length > 0;
}

/** The next power of two, so that grants that differ little share their hosts. */
function memoryClass({ limits }: Grant): number {
  return 2 ** Math.ceil(Math.log2(Math.max(limits.memoryBytes, hostMemoryBytesLeast)));
}

function worldOf(
  { skill, capabilities: { env, filesystem }, limits: { fileBytes } }: Grant,
  { context }: ExecutionInput,
  environment: Environment,
  gate: CallGate | undefined,
): World {
  const { memory: _recalled, ...told } = context?.caller ?? {};
  return {
    skillId: skill.id,
    context: {
      executionId: context?.executionId ?? null,
      skill: { id: skill.id, version: skill.sidecar.version ?? null },
      caller: told,
    },
    grantedEnv: [...env, ...Object.keys(gate?.placeholders ?? {})],
    env: { ...namedVariables(env, environment), ...gate?.placeholders },
    files: { read: filesystem.read, write: filesystem.write },
    fileBytes,
  };
}

async function maskedAnswer(gate: CallGate | undefined, answer: HostAnswer): Promise<HostAnswer> {
  const { end, log } = answer;
  return {
    ...answer,
    log: await maskedBytes(gate, log),
    end: end.status === 'done' ? { ...end, output: await maskedBytes(gate, end.output) } : end,
  };
}
