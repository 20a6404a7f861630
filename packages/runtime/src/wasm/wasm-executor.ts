import { availableParallelism } from 'node:os';
import { isAbsolute } from 'node:path';
import { SkillError } from '@ambit/core';
import {
  type Grant,
  neverRun,
  type RunInput,
  type RunResult,
  type SharedMemory,
  type SkillExecutor,
  type SkillState,
  stateFor,
  unlimitedMemory,
} from '@ambit/core/execute';
import { isPython, isScript } from '@ambit/core/skill';
import { allBytesOf, type WorkspaceEntry } from '@ambit/core/workspace';
import {
  type Egress,
  egressOf,
  networkKinds,
  openCallProxy,
  redactedBytes,
  redactedCut,
  redactedFields,
  redactedFiles,
  streamRedactorOf,
  usesNetwork,
} from '../egress/call-egress.ts';
import type { CallProxy } from '../egress/call-proxy.ts';
import type { JsonThread } from '../json/json-thread.ts';
import { type LiveKind, type LiveRun, liveRun } from '../output/live-run.ts';
import { inputBytes, returnsStdout } from '../output/output-outcome.ts';
import { grantedMounts, type OwnPaths } from '../process/granted-paths.ts';
import type { Sandbox } from '../process/sandbox/sandbox.ts';
import { type Environment, namedVariables } from '../spawn/environment.ts';
import { steadyTime } from '../steady-time.ts';
import { answersFor } from './answers-for.ts';
import { callBounds } from './call-bounds.ts';
import { callExecution, wasCut } from './call-execution.ts';
import { ownKinds } from './denials-of.ts';
import { type Entry, entryOf } from './entry/entry-of.ts';
import { type DaemonCalls, daemonCalls, hostCallsOf } from './host-calls.ts';
import { type HostKind, hostOwnBytes } from './pool/host-command.ts';
import { type HostPoolLoad, hostPool } from './pool/host-pool.ts';
import type { World } from './pool/host-protocol.ts';
import { type HeldEntry, type HostAnswer, startHost } from './pool/wasm-host.ts';
import { pythonFolder, pythonPackage, requirePython } from './python-package.ts';
import { usedByModule } from './used-by-module.ts';
import { whyNotPlaced } from './why-not-placed.ts';

export interface WasmExecutorOptions {
  /** The sandbox of the host processes: WebAssembly is the first barrier, this is the second. */
  sandbox: Sandbox;
  /** Stores the state of skills; without it, a grant of `state` does not run. */
  state?: SkillState;
  /** Ambit's own paths, which no grant exposes. */
  own?: OwnPaths;
  /** The source of granted environment variables. */
  environment?: Environment;
  /** Network access; without it, a grant of `network` does not run. */
  egress?: Egress;
  /** The thread that reads large outputs; absent: this thread. */
  json?: JsonThread;
  /** The number of waiting host processes; absent: the number of processors. */
  hosts?: number;
  /** The maximum number of host processes, and so of parallel calls. */
  hostsMax?: number;
  /** The memory that calls reserve, and waiting hosts use meanwhile; absent: there is no limit. */
  memory?: SharedMemory;
}

/** The executor, and the state of its hosts. */
export interface WasmExecutor extends SkillExecutor {
  /** Rejects with `SANDBOX_UNAVAILABLE` while no host process can start. */
  check(): Promise<void>;
  load(): HostPoolLoad;
}

/** The memory of all but unusual grants, which therefore share hosts. */
const hostMemoryBytesMin = 256 * 1024 * 1024;

/**
 * Runs WebAssembly skills: Extism plug-ins, WASI preview 1 commands, scripts in QuickJS, and Python.
 * Each call has a fresh instance in a host process, which has its own sandbox and runs one call at a
 * time. A host that was ended or crashed during a call is replaced. Skills of different tiers or
 * with different mounts do not share hosts.
 *
 * `execute` throws `SKILL_INVALID` for an entry that cannot be called, `CAPABILITY_UNSUPPORTED` for
 * a script that is granted a workspace, `PROGRAM_MISSING` for Python without its interpreter, `INPUT_INVALID` for files that do not fit into it, and
 * `SANDBOX_UNAVAILABLE` if no host process starts.
 */
export function wasmExecutor({
  sandbox,
  state,
  own = { hidden: [], readOnly: [] },
  environment = {},
  egress,
  json,
  hosts = availableParallelism(),
  hostsMax = Math.max(16, hosts),
  memory = unlimitedMemory(),
}: WasmExecutorOptions): WasmExecutor {
  const pool = hostPool((kind) => startHost(sandbox, kind), { ahead: hosts, max: hostsMax }, memory);
  const kinds = hostKinds(sandbox, own);
  // Calls of an unchanged skill have the same grant.
  const entries = new WeakMap<Grant, Entry>();
  const entryFor = (grant: Grant): Entry => {
    const entry = entries.get(grant) ?? entryOf(grant.skill);
    entries.set(grant, entry);
    return entry;
  };
  return {
    enforces: [
      ...ownKinds,
      ...(state === undefined ? [] : (['state'] as const)),
      ...(egress === undefined ? [] : networkKinds),
    ],
    reservedBytes({ limits: { memoryBytes } }) {
      // On a small machine, a call that fits by itself runs alone.
      return Math.max(memoryBytes, Math.min(memoryBytes + hostOwnBytes, memory.load().share));
    },
    async execute(grant, input, signal, onEvent) {
      const { skill, limits } = grant;
      if (input.protocol !== skill.run.protocol)
        throw new SkillError('INPUT_INVALID', `${skill.id} uses protocol ${skill.run.protocol}`);
      const entry = entryFor(grant);
      const kind = await kinds.of(grant);
      const files = await workspaceOf(grant, input);
      const arrivedAt = performance.now();
      const host = await pool.take(kind, entry.key, signal);
      const waitedMs = performance.now() - arrivedAt;
      if (host === undefined) return neverRun(signal.reason, sandbox.name);
      let survived = true;
      let proxy: CallProxy | undefined;
      let live: LiveRun | undefined;
      let answer: HostAnswer;
      const now = steadyTime();
      let toDaemon: DaemonCalls;
      let endedAt: number;
      try {
        try {
          proxy =
            egress !== undefined && usesNetwork(grant) ? await openCallProxy(egress, grant, now) : undefined;
          live = onEvent && liveRun(onEvent, streamRedactorOf(proxy));
          toDaemon = daemonCalls(answersFor(grant, input, state && stateFor(grant, state), proxy), now);
          const callInput = await inputBytes(input, isScript(skill.run) ? undefined : skill.run.input, json);
          answer = await host.call(
            {
              key: entry.key,
              entry: host.holds(entry.key) ? undefined : await entry.read(),
              input: callInput,
              files,
              bounds: callBounds(grant),
              world: worldOf(grant, input, environment, proxy),
              timeoutMs: limits.timeoutMs,
              cpuMs: limits.cpuMs,
              answer: toDaemon.answer,
              onPart: (stream, bytes) => {
                if (stream === 'log' || !returnsStdout(input)) live?.add(liveKind(input, stream), bytes);
              },
            },
            signal,
          );
          endedAt = now();
          survived = answer.end.status === 'done';
        } finally {
          // Before its output is read: other calls wait for the host.
          pool.give(host, survived);
        }
        live?.end(wasCut(answer));
        const redacted = proxy === undefined ? answer : await redactedAnswer(proxy, answer);
        const ended = await callExecution(grant, input, redacted, sandbox.name, { proxy, json });
        const used = usedByModule(grant, toDaemon.counts, answer, proxy);
        const hostCalls = hostCallsOf(toDaemon, answer, endedAt);
        const result: RunResult = { ...egressOf(proxy), ...ended, used, waitedMs };
        if (hostCalls !== undefined) result.hostCalls = hostCalls;
        return result;
      } finally {
        live?.end(true);
        proxy?.close();
      }
    },
    prewarm: async (grant) => pool.warm(await kinds.of(grant)),
    check: () => pool.check(kinds.usual),
    load: () => pool.load(),
    close: () => pool.close(),
  };
}

/** The kinds of hosts that grants need. */
interface HostKinds {
  of(grant: Grant): Promise<HostKind>;
  /** The kind of most grants. */
  usual: HostKind;
}

function hostKinds(sandbox: Sandbox, own: OwnPaths): HostKinds {
  let python: ReturnType<typeof pythonPackage>;
  const plainKind = (tier: string, memoryBytes: number): HostKind => ({
    tier,
    memoryBytes,
    mounts: [],
    hidden: [],
    python: interpreter,
  });
  const interpreter = pythonFolder();
  const plainKinds = new Map<string, HostKind>();
  return {
    async of(grant) {
      refuseWorkspace(grant);
      if (isPython(grant.skill.run)) {
        python ??= pythonPackage();
        requirePython(grant, python);
      }
      const plain = plainKind(grant.skill.tier, memoryClass(grant));
      if (grantsFiles(grant)) {
        const { mounts, hidden } = await grantedMounts(grant, { hostUser: sandbox.hostUser, own });
        return { ...plain, mounts, hidden };
      }
      // The same object for the same kind: hosts are compared on each call.
      const name = `${plain.tier} ${plain.memoryBytes}`;
      const known = plainKinds.get(name) ?? plain;
      plainKinds.set(name, known);
      return known;
    },
    usual: plainKind('local', hostMemoryBytesMin),
  };
}

/** For plug-ins the host does this check, because only the host reads the module. */
function refuseWorkspace({ skill, capabilities: { filesystem } }: Grant): void {
  if (!isScript(skill.run) || !filesystem.write.includes('workspace')) return;
  throw new SkillError(
    'CAPABILITY_UNSUPPORTED',
    `${skill.id} requests a workspace, which skills with runtime wasm cannot have; remove it from its ambit.yaml`,
    { details: { capabilities: ['filesystem.write'] } },
  );
}

/** The initial files of the call's workspace; `undefined` if it has none. */
async function workspaceOf(
  grant: Grant,
  { files = [] }: RunInput,
): Promise<readonly HeldEntry[] | undefined> {
  if (!grant.capabilities.filesystem.write.includes('workspace')) return undefined;
  const problem = whyNotPlaced(files, callBounds(grant).diskBytes);
  if (problem === undefined) return files.length === 0 ? [] : heldEntries(files);
  throw new SkillError('INPUT_INVALID', `the files do not fit into the workspace: ${problem}`);
}

/** The entries with all contents in memory, which a module's workspace is. */
function heldEntries(entries: readonly WorkspaceEntry[]): Promise<readonly HeldEntry[]> {
  return Promise.all(
    entries.map(async (entry) =>
      'content' in entry ? { ...entry, content: await allBytesOf(entry.content) } : entry,
    ),
  );
}

function liveKind({ protocol }: RunInput, stream: 'log' | 'stdout'): LiveKind {
  return protocol === 'command' && stream === 'log' ? 'stderr' : stream;
}

function grantsFiles({ capabilities: { filesystem } }: Grant): boolean {
  return [...filesystem.read, ...filesystem.write].some(isAbsolute);
}

/** The next power of two, so that grants that differ little share their hosts. */
function memoryClass({ limits }: Grant): number {
  return 2 ** Math.ceil(Math.log2(Math.max(limits.memoryBytes, hostMemoryBytesMin)));
}

function worldOf(
  { skill, capabilities: { env, filesystem }, limits: { fileBytes } }: Grant,
  input: RunInput,
  environment: Environment,
  proxy: CallProxy | undefined,
): World {
  const { context } = input;
  const { memory: _recalled, ...caller } = context?.caller ?? {};
  return {
    skillId: skill.id,
    context: {
      executionId: context?.executionId ?? null,
      skill: { id: skill.id, version: skill.sidecar.version ?? null },
      caller,
    },
    grantedEnv: [...env, ...Object.keys(proxy?.placeholders ?? {})],
    env: { ...namedVariables(env, environment), ...proxy?.placeholders },
    files: { read: filesystem.read.filter(isAbsolute), write: filesystem.write.filter(isAbsolute) },
    fileBytes,
    args: input.protocol === 'command' ? input.args : undefined,
  };
}

async function redactedAnswer(proxy: CallProxy, answer: HostAnswer): Promise<HostAnswer> {
  const { end, log, stdout } = answer;
  const redact = wasCut(answer) ? redactedCut : redactedBytes;
  const redacted = { ...answer, log: await redact(proxy, log), stdout: await redact(proxy, stdout) };
  if (end.status !== 'done') return { ...redacted, end: redactedFields(proxy, end) };
  // The module chose the texts of its errors.
  const done = { ...end.done, verdict: redactedFields(proxy, end.done.verdict) };
  const changes = end.changes && (await redactedFiles(proxy, end.changes));
  return { ...redacted, end: { ...end, done, output: await redactedBytes(proxy, end.output), changes } };
}
