import type { AuditPosition } from '../audit/audit-log.ts';
import type { Denial } from '../capability/denial.ts';
import { grantCall } from '../capability/grant.ts';
import { type BrokenSkill, isBroken } from '../skill/catalog.ts';
import { asToolSkill, type Skill, type ToolSkill } from '../skill/skill.ts';
import { type CallWorkspace, callWorkspace, type WorkspaceEnd } from '../workspace/call-workspace.ts';
import { checkOutput, inputOf } from './check-payload.ts';
import type { ExecuteDeps, ExecuteRequest } from './execute-request.ts';
import type { QueuedCall } from './execution-queue.ts';
import type { RunResult } from './executor.ts';
import { executorFor } from './executor-for.ts';
import { failureHint } from './failure-hint.ts';
import { neverRun } from './never-run.ts';
import type { Outcome, Usage } from './outcome.ts';
import { recordEnd, recordRefusal, recordStart } from './record-call.ts';
import { saveState } from './save-state.ts';
import { SkillError } from './skill-error.ts';
import { type SpanFacts, type Tracing, untraced } from './tracing.ts';
import type { UsedCapabilities } from './used.ts';
import type { FileChange } from './workspace-file.ts';

/** The answer to a call that ran. */
export interface ExecuteResult {
  executionId: string;
  outcome: Outcome;
  usage: Usage;
  /** What the run used of what it was granted. */
  used: UsedCapabilities;
  /** What the skill wrote beside its output, bounded. */
  log: string;
  /** What the run left different in its workspace; absent where it has none, or did not end by itself. */
  files?: readonly FileChange[];
  /** What became of the workspace that the call names; absent where it names none. */
  workspace?: WorkspaceEnd;
  /** What the run tried to touch and was not let, with the line that would grant it; absent: nothing. */
  denials?: readonly Denial[];
  /** What to do about a run that failed, where what it wrote tells; see `failureHint`. */
  hint?: string;
  audit: AuditPosition;
}

/**
 * Runs one skill call from end to end; every transport calls it. The record is begun before anything is decided, and the
 * result is handed out only after its end is durable.
 *
 * Throws a `SkillError` when the call is refused or cannot start, after that has been recorded. When the log cannot
 * be written the code is `AUDIT_UNAVAILABLE`, and nothing has run or nothing is handed out.
 */
export async function executeSkill(
  deps: ExecuteDeps,
  request: ExecuteRequest,
  signal: AbortSignal,
): Promise<ExecuteResult> {
  const { tracing = untraced } = deps;
  return tracing.span('execute', { executionId: request.executionId }, (note) =>
    execute({ ...deps, tracing }, request, signal, note),
  );
}

/** With somebody to tell of its stretches, whether they look or not. */
type TracedDeps = ExecuteDeps & { tracing: Tracing };

async function execute(
  deps: TracedDeps,
  request: ExecuteRequest,
  signal: AbortSignal,
  note: (facts: SpanFacts) => void,
): Promise<ExecuteResult> {
  const startedAt = deps.now();
  // Looked up first and judged later: `find` never rejects, so that probing for unknown skills leaves a trace too,
  // and a record without an end still names what was running.
  const found = await deps.catalog.find(request.skillId);
  if (found !== undefined && !isBroken(found)) note({ skill: named(found) });
  await deps.tracing.span('begin record', {}, () => recordStart(deps, request, found, startedAt));
  request.recorded?.();
  const workspace = callWorkspace(deps, request);
  try {
    const { result, commit } = await runRecorded(deps, request, found, workspace, signal, note);
    // Its end is in the log by now: what nobody has recorded nobody gets to see.
    await commit?.().catch((error: unknown) => {
      throw asSkillError(error);
    });
    return result;
  } finally {
    await workspace.leave();
  }
}

/** Runs the call, and ends its record in whatever way. What its workspace becomes is still to be committed. */
async function runRecorded(
  deps: TracedDeps,
  request: ExecuteRequest,
  found: Skill | BrokenSkill | undefined,
  workspace: CallWorkspace,
  signal: AbortSignal,
  note: (facts: SpanFacts) => void,
): Promise<{ result: ExecuteResult; commit: (() => Promise<void>) | undefined }> {
  const { executionId } = request;
  const { tracing } = deps;
  try {
    const skill = requireTool(request.skillId, found, request.input.script);
    const grant = grantCall(deps.policy, skill, request.narrowing, deps.ceiling);
    const executor = executorFor(deps.executors, grant);
    const enter = (): Promise<void> => workspace.enter(grant, signal);
    const { execution, queueMs } = await inTurn(deps, request, enter, signal, async () => {
      const input = await tracing.span('check input', {}, async () =>
        inputOf(deps, grant, request, await workspace.filled(request.input), signal),
      );
      request.onEvent?.({ kind: 'started' });
      return tracing.span('run', { runtime: skill.run.runtime }, async (tell) => {
        const ended = await executor.execute(grant, input, signal, request.onEvent);
        tell({ outcome: ended.outcome.status, sandbox: ended.sandbox });
        return ended;
      });
    });
    const checked = await tracing.span('check output', {}, () =>
      checkOutput(deps, skill, execution.outcome, signal),
    );
    const outcome = await saveState(checked, execution);
    const usage = { ...execution.usage, queueMs: queueMs + (execution.waitedMs ?? 0) };
    const kept = await workspace.ended(outcome, execution.files);
    const audit = await tracing.span('end record', {}, () =>
      recordEnd(deps, request, grant, { ...execution, outcome, workspace: kept?.recorded }, usage),
    );
    note({ outcome: outcome.status });
    const { used, log, files, denials } = execution;
    const hint =
      outcome.status === 'failed'
        ? (failureHint(grant, outcome.failure, outcome.stderr) ??
          failureHint(grant, outcome.failure, outcome.stdout ?? ''))
        : undefined;
    const result = {
      ...{ executionId, outcome, usage, used, log },
      ...(files === undefined ? {} : { files }),
      ...(kept === undefined ? {} : { workspace: kept.end }),
      ...(denials === undefined ? {} : { denials }),
      ...(hint === undefined ? {} : { hint }),
      audit,
    };
    return { result, commit: kept?.commit };
  } catch (error) {
    const refusal = asSkillError(error);
    note({ code: refusal.code });
    // A log that is gone cannot take the news that it is gone.
    if (refusal.code !== 'AUDIT_UNAVAILABLE')
      await tracing.span('end record', {}, () => recordRefusal(deps, executionId, refusal));
    throw refusal;
  }
}

function named({ id, sidecar, tier }: Skill): SpanFacts['skill'] & object {
  return { id, version: sidecar.version, tier };
}

function requireTool(
  id: string,
  found: Skill | BrokenSkill | undefined,
  script: string | undefined,
): ToolSkill {
  if (found === undefined) {
    throw new SkillError(
      'SKILL_NOT_FOUND',
      `there is no skill ${JSON.stringify(id.slice(0, 200))}; GET /skills or "ambit skills list" shows those there are`,
    );
  }
  if (isBroken(found)) {
    throw new SkillError('SKILL_INVALID', `${found.id} cannot be used: ${found.problem}`);
  }
  const tool = asToolSkill(found, script);
  if (tool === undefined) {
    throw new SkillError(
      'SKILL_NOT_EXECUTABLE',
      `${found.id} is a prompt skill: it has instructions and nothing to run. Put its body into a prompt, or give it scripts/, or an ambit.yaml with a "run" section`,
    );
  }
  return tool;
}

/**
 * Runs when there is a place, and gives it back. A skill's schemas are looked at only then: what they cost is the
 * skill's own. A call that is canceled while it waits has run for no time at all.
 */
async function inTurn(
  deps: TracedDeps,
  call: QueuedCall,
  enterWorkspace: () => Promise<void>,
  signal: AbortSignal,
  run: () => Promise<RunResult>,
): Promise<{ execution: RunResult; queueMs: number }> {
  const joinedAt = deps.now();
  const place = await deps.tracing.span('queue', {}, async () => {
    // First: whoever waits for a workspace takes no place that another could run in.
    await enterWorkspace();
    return deps.queue.enter(call, signal);
  });
  const queueMs = deps.now() - joinedAt;
  if (place === undefined) return { execution: neverRun(signal.reason, 'none'), queueMs };
  try {
    return { execution: await run(), queueMs };
  } finally {
    place.release();
  }
}

function asSkillError(error: unknown): SkillError {
  if (error instanceof SkillError) return error;
  return new SkillError(
    'INTERNAL',
    'Ambit failed, not the skill; its log has the cause under this execution id',
    {
      cause: error,
    },
  );
}
