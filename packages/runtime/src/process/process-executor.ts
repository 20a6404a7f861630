import { lstatSync } from 'node:fs';
import type { Grant, SkillExecutor } from '@ambit/core/execute';
import { neverRun, programsNamed, type RunInput, type SkillState } from '@ambit/core/internal';
import {
  type Egress,
  egressBounds,
  egressOf,
  networkKinds,
  openCallProxy,
  redactedBytes,
  redactedCut,
  redactedFiles,
  streamRedactorOf,
  usesNetwork,
} from '../egress/call-egress.ts';
import type { CallProxy } from '../egress/call-proxy.ts';
import type { Environment } from '../environment/environment.ts';
import type { JsonThread } from '../json/json-thread.ts';
import { type LiveRun, liveRun } from '../live/live-run.ts';
import { inputBytes } from '../output/output-outcome.ts';
import { listFolder, signatureOf } from '../skills/list-folder.ts';
import { callExecution, wasCut } from './call-execution.ts';
import { type CallFiles, openCallFiles, usesCallFiles } from './call-files.ts';
import type { OwnPaths } from './granted-paths.ts';
import { nodeReservedBytes } from './host-program.ts';
import type { NetworkEntrance } from './network-entrance.ts';
import { type PrewarmedLoad, type PrewarmRequest, prewarmed } from './prewarmed.ts';
import { identityOf } from './sandbox/mount-identity.ts';
import { runInSandbox, runToEnd, type SandboxInput } from './sandbox/run-in-sandbox.ts';
import type { RunLimits, Sandbox, SandboxedRun } from './sandbox/sandbox.ts';
import { type SkillCommand, sandboxedCommand } from './sandboxed-command.ts';
import { usedByProgram } from './used-by-program.ts';

/** What the process executor is made of. */
export interface ProcessExecutorOptions {
  sandbox: Sandbox;
  /** Where skills keep what they are granted to keep; without it a grant of `state` is not run. */
  state?: SkillState;
  /** What belongs to Ambit itself and stays out of reach, whatever is granted around it. */
  own?: OwnPaths;
  /** Where the values of granted environment variables come from. */
  environment: Environment;
  /** The way to the network; without it a grant of one is not run. */
  egress?: Egress;
  /** Where large outputs are read; absent: where calls are served. */
  json?: JsonThread;
  /** How many programs of all skills together may wait for calls; none when absent, which suits a single call. */
  prewarmMax?: number;
  /** How long a program waits for a call before it is replaced. */
  prewarmMaxAgeMs?: number;
}

/** The executor, and what it has waiting. */
export interface ProcessExecutor extends SkillExecutor {
  load(): PrewarmedLoad;
  retain: NonNullable<SkillExecutor['retain']>;
}

/**
 * Runs skills that are programs of the host, each call in a sandbox of its own.
 *
 * As many of a skill's programs as its sidecar's `run.prewarm` says are started by `prewarm` or after its first call, and
 * each that is used is replaced. A program that waits is used for one call, of the whole grant, whose command, ceilings,
 * skill folder and mounted places are the same; every other call has one started for it.
 */
export function processExecutor({
  sandbox,
  state,
  environment,
  own = { hidden: [], readOnly: [] },
  prewarmMax = 0,
  prewarmMaxAgeMs = 300_000,
  egress,
  json,
}: ProcessExecutorOptions): ProcessExecutor {
  const waiting = prewarmed(prewarmMax, prewarmMaxAgeMs);

  const planned = async (
    grant: Grant,
    args: readonly string[],
    proxy?: CallProxy,
    files?: CallFiles,
  ): Promise<Plan> => {
    const around = { hostUser: sandbox.hostUser, own, network: await entranceOf(egress, proxy), files };
    const { memoryBytes, cpuMs, processes, fileBytes } = grant.limits;
    return {
      command: await sandboxedCommand(grant, args, environment, around),
      ceilings: { memoryBytes, dataBytes: memoryBytes + reservedBytes(grant), cpuMs, processes, fileBytes },
    };
  };
  /** As everything is now, which may be otherwise than when a call began. */
  const wishOf = async (grant: Grant): Promise<PrewarmRequest> => {
    const plan = await planned(grant, []);
    return {
      skillId: grant.skill.id,
      grant: textOf(grant),
      key: keyOf(grant, plan, await folderOf(grant)),
      count: prewarmOf(grant),
      start: () => sandbox.start(plan.command, plan.ceilings),
      currentKey: async () => keyOf(grant, plan, await folderOf(grant)),
    };
  };
  const keep = async (grant: Grant): Promise<void> => waiting.keep(await wishOf(grant));
  const isKept = (grant: Grant): boolean =>
    prewarmMax > 0 && prewarmOf(grant) > 0 && !grant.narrowed && !usesNetwork(grant);

  return {
    enforces: [
      ...enforced,
      ...(state === undefined ? [] : (['state'] as const)),
      ...(egress === undefined ? [] : networkKinds),
    ],
    async execute(grant, input, signal, onEvent) {
      const args = input.protocol === 'command' ? input.args : [];
      const proxy =
        egress !== undefined && usesNetwork(grant) ? await openCallProxy(egress, grant) : undefined;
      const live = onEvent && liveRun(onEvent, streamRedactorOf(proxy));
      let files: CallFiles | undefined;
      try {
        files = usesCallFiles(grant) ? await openCallFiles(grant, input, { state, json, proxy }) : undefined;
        const [plan, folder] = await Promise.all([
          planned(grant, args, proxy, files),
          isKept(grant) ? folderOf(grant) : '',
        ]);
        if (signal.aborted) return neverRun(signal.reason, sandbox.name);
        const { timeoutMs, outputBytes } = grant.limits;
        const given = {
          stdin: await inputBytes(input, grant.skill.run.input, json),
          timeoutMs,
          outputBytes,
          files: input.files ?? [],
          stateFile: files?.stateFile,
          serve: proxy?.serve,
          told: told(live, input),
        };
        const ready = isKept(grant) ? waiting.take(grant.skill.id, keyOf(grant, plan, folder)) : undefined;
        // What it did before it had anything to do is not the call's.
        ready?.restart();
        const run =
          ready === undefined
            ? await runInSandbox(sandbox, plan, given, signal)
            : await runToEnd(ready, given, signal);
        const walls = ready === undefined ? sandbox.name : `${sandbox.name}, prewarmed`;
        live?.end(wasCut(run));
        const ended = await callExecution(grant, input, await redacted(proxy, run), walls, { proxy, json });
        const execution = (await files?.withChange(ended, run)) ?? ended;
        const used = usedByProgram(grant, { ...plan.command, ...run, ...execution }, proxy);
        return { ...execution, used, ...egressOf(proxy) };
      } finally {
        live?.end(true);
        proxy?.close();
        files?.close();
        // A call that cannot be started says why; one that was not started ahead of need has nobody to tell.
        if (isKept(grant)) keep(grant).catch(() => undefined);
      }
    },
    async prewarm(grant) {
      if (isKept(grant)) await keep(grant);
    },
    async retain(grants) {
      const kept = new Map(grants.filter(isKept).map((grant) => [grant.skill.id, grant]));
      await waiting.retain(new Set([...kept.values()].map(textOf)), async (skillId) => {
        const grant = kept.get(skillId);
        return grant && wishOf(grant);
      });
    },
    load: () => waiting.load(),
    close: () => waiting.close(),
  };
}

const enforced = ['filesystem.read', 'filesystem.write', 'env', 'exec', 'memory'] as const;

async function entranceOf(
  egress: Egress | undefined,
  proxy: CallProxy | undefined,
): Promise<NetworkEntrance | undefined> {
  if (egress === undefined || proxy === undefined) return undefined;
  const { connections: connectionsMax } = egressBounds;
  return { connectionsMax, certificates: await egress.certificates(), placeholders: proxy.placeholders };
}

/**
 * What of a run is told while it goes on. With protocol json stdout is the answer: nobody has checked it against the
 * skill's schema before the end, so that nobody gets to see it before.
 */
function told(live: LiveRun | undefined, { protocol }: RunInput): SandboxInput['told'] {
  if (live === undefined) return undefined;
  return protocol === 'json' ? (kind, bytes) => kind === 'stderr' && live.add(kind, bytes) : live.add;
}

async function redacted(proxy: CallProxy | undefined, run: SandboxedRun): Promise<SandboxedRun> {
  if (proxy === undefined) return run;
  const redact = wasCut(run) ? redactedCut : redactedBytes;
  return {
    ...run,
    stdout: await redact(proxy, run.stdout),
    stderr: await redact(proxy, run.stderr),
    ...(run.files === undefined ? {} : { files: await redactedFiles(proxy, run.files) }),
  };
}

/** What a call comes to on this machine. */
interface Plan {
  command: SkillCommand;
  ceilings: RunLimits;
}

/** What the granted programs reserve beyond what they use. */
function reservedBytes({ capabilities: { exec } }: Grant): number {
  return exec.flatMap((name) => programsNamed(name).programs).includes('node') ? nodeReservedBytes : 0;
}

function prewarmOf({ skill: { run } }: Grant): number {
  return run.runtime === 'process' ? run.prewarm : 0;
}

/** A grant as text: equal for equal decisions about the same skill. */
function textOf({ skill, ...grant }: Grant): string {
  return JSON.stringify([skill.id, skill.root, skill.digest, grant]);
}

/**
 * All that a program that waits was started with. Beside the digest of when the skill was read, its folder as it is now,
 * because a program reads its files before it waits; and what is mounted not only by name, because a mount stays with
 * what had the name when it was made.
 */
function keyOf({ skill }: Grant, plan: Plan, folder: string): string {
  return JSON.stringify([
    skill.digest,
    folder,
    plan,
    plan.command.mounts.map(({ source }) => identity(source)),
  ]);
}

async function folderOf({ skill }: Grant): Promise<string> {
  return signatureOf(await listFolder(skill.root));
}

function identity(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? 'gone' : identityOf(stats);
}
