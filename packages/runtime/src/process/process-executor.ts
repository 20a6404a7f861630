import {
  type Grant,
  neverRun,
  type RunInput,
  type RunResult,
  type SharedMemory,
  type SkillExecutor,
  type SkillState,
  unlimitedMemory,
} from '@ambit/core/execute';
import {
  type Egress,
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
import type { JsonThread } from '../json/json-thread.ts';
import { type LiveRun, liveRun } from '../output/live-run.ts';
import { inputBytes, returnsStdout } from '../output/output-outcome.ts';
import type { Environment } from '../spawn/environment.ts';
import { callExecution, wasCut } from './call-execution.ts';
import { type CallFiles, openCallFiles, usesCallFiles } from './call-files.ts';
import type { OwnPaths } from './granted-paths.ts';
import type { HostSettings } from './host/host-access.ts';
import { missingPrograms } from './missing-programs.ts';
import { folderSignature, grantText, prewarmKey, type RunPlan } from './prewarm-key.ts';
import { prewarmed } from './prewarmed.ts';
import { prewarmOf, runPlans } from './run-plans.ts';
import { runInSandbox, runToEnd, type SandboxInput } from './sandbox/run-in-sandbox.ts';
import type { Sandbox, SandboxedRun } from './sandbox/sandbox.ts';
import { persistentBounds } from './sandbox/workspace/take-files.ts';
import { skillNames } from './script-names.ts';
import type { PrewarmedLoad } from './skill-pools.ts';
import { usedByProgram } from './used-by-program.ts';

export interface ProcessExecutorOptions {
  sandbox: Sandbox;
  /** Stores the state of skills; without it, a grant of `state` does not run. */
  state?: SkillState;
  /** Ambit's own paths, which no grant exposes. */
  own?: OwnPaths;
  /** For grants of `host`; without it, they do not run. */
  host?: HostSettings;
  /** The source of granted environment variables. */
  environment: Environment;
  /** Network access; without it, a grant of `network` does not run. */
  egress?: Egress;
  /** The thread that reads large outputs; absent: this thread. */
  json?: JsonThread;
  /**
   * The maximum of prewarmed programs of all skills together; none if absent, which suits a single
   * call.
   */
  prewarmMax?: number;
  /** The age at which a waiting program is replaced. */
  prewarmMaxAgeMs?: number;
  /** The memory that calls reserve, and prewarmed programs use meanwhile; absent: there is no limit. */
  memory?: SharedMemory;
}

/** The executor, and its prewarmed programs. */
export interface ProcessExecutor extends SkillExecutor {
  load(): PrewarmedLoad;
  retain: NonNullable<SkillExecutor['retain']>;
}

/** A run that has ended, with the parts of its call. */
interface EndedRun {
  grant: Grant;
  input: RunInput;
  plan: RunPlan;
  run: SandboxedRun;
  /** The sandbox, and whether the program waited in it. */
  how: string;
  proxy: CallProxy | undefined;
  files: CallFiles | undefined;
  json: JsonThread | undefined;
  namesOf: ReturnType<typeof skillNames>;
}

/**
 * Runs skills that are host programs, each call in its own sandbox.
 *
 * `prewarm` and the first call start as many programs as the sidecar's `run.prewarm` says, and each
 * used program is replaced. A waiting program is used for one call of the whole grant, and only if
 * command, limits, skill folder and mounted files are the same. Every other call starts its own
 * program.
 */
export function processExecutor({
  sandbox,
  state,
  environment,
  host,
  own = { hidden: [], readOnly: [] },
  prewarmMax = 0,
  prewarmMaxAgeMs = 300_000,
  memory = unlimitedMemory(),
  egress,
  json,
}: ProcessExecutorOptions): ProcessExecutor {
  const prewarmedPrograms = prewarmed(prewarmMax, prewarmMaxAgeMs, memory);
  const namesOf = skillNames();
  const { planFor, requestOf } = runPlans({ sandbox, own, host, environment, egress, namesOf });

  /** Runs a prewarmed program with this key, otherwise a new one. */
  const runPlan = async (
    { grant, plan, key }: { grant: Grant; plan: RunPlan; key: string | undefined },
    given: SandboxInput,
    signal: AbortSignal,
  ): Promise<{ run: SandboxedRun; how: string }> => {
    const ready = key === undefined ? undefined : prewarmedPrograms.take(grant.skill.id, key);
    if (ready === undefined) {
      await memory.makeRoom();
      return { run: await runInSandbox(sandbox, plan, given, signal), how: sandbox.name };
    }
    // Work before its call is not charged to the call.
    ready.restart();
    return { run: await runToEnd(ready, given, signal), how: `${sandbox.name}, prewarmed` };
  };
  const refill = async (grant: Grant): Promise<void> => prewarmedPrograms.fill(await requestOf(grant));
  const isPrewarmed = (grant: Grant): boolean =>
    prewarmMax > 0 && prewarmOf(grant) > 0 && !grant.narrowed && !usesNetwork(grant) && !isHost(grant);

  return {
    // Programs wait at the start barrier of their sandbox.
    awaitsRecord: true,
    enforces: enforcedWith({ state, host, egress }),
    async execute(grant, input, signal, onEvent) {
      const args = input.protocol === 'command' ? input.args : [];
      // Reading secrets can start a command of the operator, and state is locked while it is used.
      if (usesNetwork(grant) || grant.trial || usesCallFiles(grant) || isHost(grant)) await input.recorded;
      const proxy =
        egress !== undefined && (usesNetwork(grant) || grant.trial)
          ? await openCallProxy(egress, grant)
          : undefined;
      const live = onEvent && liveRun(onEvent, streamRedactorOf(proxy));
      let files: CallFiles | undefined;
      let releaseFiles: (() => void) | undefined;
      try {
        files = usesCallFiles(grant) ? await openCallFiles(grant, input, { state, json, proxy }) : undefined;
        const [plan, folder] = await Promise.all([
          planFor(grant, args, proxy, files),
          isPrewarmed(grant) ? folderSignature(grant) : '',
        ]);
        if (signal.aborted) return neverRun(signal.reason, sandbox.name);
        const given = {
          ...limitedInput(grant, input),
          stdin: await inputBytes(input, grant.skill.run.input, json),
          stateFile: files?.stateFile,
          serve: proxy?.serve,
          onOutput: outputListener(live, input),
        };
        const key = isPrewarmed(grant) ? prewarmKey(grant, plan, folder) : undefined;
        const { run, how } = await runPlan({ grant, plan, key }, given, signal);
        releaseFiles = run.releaseFiles;
        live?.end(wasCut(run));
        const result = await resultOf({ grant, input, plan, run, how, proxy, files, json, namesOf });
        if (releaseFiles !== undefined) result.release = releaseFiles;
        releaseFiles = undefined;
        return result;
      } finally {
        releaseFiles?.();
        live?.end(true);
        proxy?.close();
        files?.close();
        // A failed call reports why; a failed prewarm is reported to no one.
        if (isPrewarmed(grant)) refill(grant).catch(() => undefined);
      }
    },
    async prewarm(grant) {
      if (isPrewarmed(grant)) await refill(grant);
    },
    async retain(grants) {
      const prewarmedGrants = new Map(grants.filter(isPrewarmed).map((grant) => [grant.skill.id, grant]));
      await prewarmedPrograms.retain(
        new Set([...prewarmedGrants.values()].map(grantText)),
        async (skillId) => {
          const grant = prewarmedGrants.get(skillId);
          return grant && requestOf(grant);
        },
      );
    },
    load: () => prewarmedPrograms.load(),
    close: () => prewarmedPrograms.close(),
  };
}

function limitedInput(
  { limits: { timeoutMs, outputBytes } }: Grant,
  input: RunInput,
): Pick<SandboxInput, 'timeoutMs' | 'outputBytes' | 'recorded' | 'files' | 'takeBounds'> {
  return {
    timeoutMs,
    outputBytes,
    recorded: input.recorded,
    files: input.files ?? [],
    takeBounds: input.persistent && persistentBounds(input.persistent),
  };
}

async function resultOf(ended: EndedRun): Promise<RunResult> {
  const { grant, input, plan, run, how, proxy, files, json, namesOf } = ended;
  const user = plan.command.host?.name;
  const isolation = user === undefined ? how : `${how}, with the rights of ${user}`;
  const own = await callExecution(grant, input, await redacted(proxy, run), isolation, { proxy, json });
  const execution = (await files?.withChange(own, run)) ?? own;
  const used = usedByProgram(grant, { ...plan.command, ...run, ...execution }, proxy);
  const result: RunResult = { ...execution, used, ...egressOf(proxy) };
  const named = (await namesOf(grant.skill)).programsOf(grant.skill.run.entry);
  const missing = missingPrograms(grant, plan.command, { named, log: execution.log });
  if (missing.length > 0) result.missingPrograms = missing;
  return result;
}

function enforcedWith({
  state,
  host,
  egress,
}: {
  state: SkillState | undefined;
  host: HostSettings | undefined;
  egress: Egress | undefined;
}): SkillExecutor['enforces'] {
  const kinds: SkillExecutor['enforces'][number][] = [
    'filesystem.read',
    'filesystem.write',
    'env',
    'exec',
    'memory',
  ];
  if (state !== undefined) kinds.push('state');
  if (host !== undefined) kinds.push('host');
  if (egress !== undefined) kinds.push(...networkKinds);
  return kinds;
}

/** Returns the listener for streamed output. A stdout that is the result is checked at the end, so it is never streamed. */
function outputListener(live: LiveRun | undefined, input: RunInput): SandboxInput['onOutput'] {
  if (live === undefined) return undefined;
  return returnsStdout(input) ? (kind, bytes) => kind === 'stderr' && live.add(kind, bytes) : live.add;
}

async function redacted(proxy: CallProxy | undefined, run: SandboxedRun): Promise<SandboxedRun> {
  if (proxy === undefined) return run;
  const redact = wasCut(run) ? redactedCut : redactedBytes;
  return {
    ...run,
    stdout: await redact(proxy, run.stdout),
    stderr: await redact(proxy, run.stderr),
    files: run.files && (await redactedFiles(proxy, run.files)),
  };
}

function isHost({ capabilities }: Grant): boolean {
  return capabilities.host === true;
}
