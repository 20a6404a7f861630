import type { AuditPosition } from '../audit/audit-log.ts';
import type { Denial } from '../capability/denial.ts';
import type { Grant } from '../grant/grant.ts';
import { limitRemedy } from '../grant/limit-remedy.ts';
import type { JsonText } from '../json/json-text.ts';
import type { Outcome, Usage } from '../outcome/outcome.ts';
import { SkillError } from '../outcome/skill-error.ts';
import type { UsedCapabilities } from '../outcome/used.ts';
import { isBroken } from '../skill/catalog.ts';
import type { Skill } from '../skill/skill.ts';
import { skillNotFound } from '../skill/skill-not-found.ts';
import type { FileChange } from '../workspace/workspace-file.ts';
import { type CallWorkspace, callWorkspace, type WorkspaceEnd } from './call/call-workspace.ts';
import { checkOutput, inputOf } from './call/check-payload.ts';
import { type Decision, decideCall, withScript } from './call/decide-call.ts';
import type { ExecuteDeps, ExecuteRequest } from './call/execute-request.ts';
import { failureHint } from './call/failure-hint.ts';
import type { HintContext } from './call/hint-context.ts';
import { recordEnd, recordRefusal, recordStart, type StartedRecord } from './call/record-call.ts';
import { saveState } from './call/save-state.ts';
import { type CallSpan, during, type SpanFacts, untraced } from './call/tracing.ts';
import type { RunResult } from './executor/executor.ts';
import { neverRun } from './executor/never-run.ts';

/** The result of a call that ran. */
export interface ExecuteResult {
  executionId: string;
  outcome: Outcome;
  usage: Usage;
  /** The granted capabilities that the run used. */
  used: UsedCapabilities;
  /** The skill's text besides its output, bounded. */
  log: string;
  /** The changes in the run's workspace. Absent if it has none, or the run was ended. */
  files?: readonly FileChange[];
  /** The effect on the named workspace; absent without one. */
  workspace?: WorkspaceEnd;
  /** Denied accesses, each with the line that would grant it; absent if there are none. */
  denials?: readonly Denial[];
  /** The remedy for a failed run, if its output shows one; see `failureHint`. */
  hint?: string;
  /** For the operator: what raises the limit that ended the run; absent if none did. Not for models. */
  remedy?: string;
  /** Programs that its scripts name or tried to start, that this machine has and the grant lacks. Absent: none. */
  missingPrograms?: readonly string[];
  audit: AuditPosition;
  /** The output as JSON, with the digest that the log has; absent for a run that did not succeed. */
  outputJson?: JsonText;
}

/**
 * Runs one skill call, for every transport. The beginning of its record is durable before the run can have
 * an effect, and all of it before the result is returned.
 *
 * If the call is refused or cannot start, records that and throws a `SkillError`. If the log cannot be
 * written, the code is `AUDIT_UNAVAILABLE`: the call had no effect, or no result is returned.
 */
export async function executeSkill(
  deps: ExecuteDeps,
  request: ExecuteRequest,
  signal: AbortSignal,
): Promise<ExecuteResult> {
  const { executionId, skillId } = request;
  const span = (deps.tracing ?? untraced).start({ executionId });
  const workspace = callWorkspace(deps, request);
  let failure: unknown;
  try {
    const startedAt = deps.now();
    // `find` never rejects, so a probe for an unknown skill leaves a record too. A record without an end
    // still names its skill.
    const found = await deps.catalog.find(skillId);
    if (found !== undefined && !isBroken(found)) span.note({ skill: skillFacts(found) });
    // The caller may have left out the namespace. Policy and limits are by id.
    const named = found === undefined || found.id === skillId ? request : { ...request, skillId: found.id };
    const call = withScript(named, found);
    const decision = decideCall(deps, call, found);
    const mayWait = reachesNothing(decision, request);
    const mayPrepare = mayWait || awaitsRecord(decision, request);
    const started = await during(span.start('begin record'), async () => {
      const record = await recordStart(deps, call, found, { decision, time: startedAt, mayWait });
      if (!mayPrepare) await record.written;
      return record;
    });
    request.recorded?.();
    const { result, commit } = await runRecorded(
      deps,
      call,
      { decision, ...started },
      workspace,
      signal,
      span,
    );
    // Other calls may see the workspace's new contents only now that the end of the record is durable.
    if (commit !== undefined)
      await commit().catch((error: unknown) => {
        throw asSkillError(error);
      });
    return result;
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    await workspace.leave();
    span.end(failure);
  }
}

/** Runs the call and ends its record, even if it is refused. `commit` makes the workspace's new contents visible. */
async function runRecorded(
  deps: ExecuteDeps,
  request: ExecuteRequest,
  { decision, inputJson, written }: StartedRecord & { decision: Decision | undefined },
  workspace: CallWorkspace,
  canceled: AbortSignal,
  span: CallSpan,
): Promise<{ result: ExecuteResult; commit: (() => Promise<void>) | undefined }> {
  const { executionId, skillId, onEvent } = request;
  const { signal, release } = untilUnwritten(written, canceled);
  let releaseRun: (() => void) | undefined;
  try {
    if (decision === undefined) throw await skillNotFound(skillId, deps.catalog);
    if ('refusal' in decision) throw decision.refusal;
    const { skill, grant, executor } = decision;
    const memoryBytes = executor.reservedBytes?.(grant) ?? grant.limits.memoryBytes;
    const queued = { skillId, actor: request.actor, parentId: request.parentId };
    const queuedAt = deps.now();
    // The workspace comes first: a call that waits for one holds no slot that another call could use.
    const slot = await during(span.start('queue'), async () => {
      await workspace.enter(grant, signal);
      return deps.queue.enter({ ...queued, memoryBytes }, signal);
    });
    const queueMs = deps.now() - queuedAt;
    let run: RunResult;
    try {
      if (slot === undefined) run = neverRun(signal.reason, 'none');
      else {
        const filled = { ...workspace.filled(request.input), inputJson };
        // After the call has a slot, so the cost of checking a skill's schemas counts towards that skill.
        const input = await during(span.start('check input'), () =>
          inputOf(deps, grant, request, filled, signal),
        );
        onEvent?.({ kind: 'started' });
        const persistent = workspace.bounds();
        run = await during(
          span.start('run', { runtime: skill.run.runtime }),
          () => executor.execute(grant, { ...input, persistent, recorded: written }, signal, onEvent),
          ({ outcome, sandbox }) => ({ outcome: outcome.status, sandbox }),
        );
        const { release: releaseFiles } = run;
        // Its files are in memory that the slot reserves.
        if (releaseFiles !== undefined)
          releaseRun = () => {
            releaseFiles();
            slot.release();
          };
      }
    } finally {
      if (releaseRun === undefined) slot?.release();
    }
    const checked = await during(span.start('check output'), () =>
      checkOutput(deps, skill, run.outcome, signal),
    );
    const outcome = await saveState(checked, run);
    const usage = { ...run.usage, queueMs: queueMs + (run.waitedMs ?? 0) };
    const end = await workspace.ended(outcome, run.files);
    const remedy = limitRemedy(grant, outcome);
    const { audit, outputJson } = await during(span.start('end record'), () =>
      recordEnd(deps, request, grant, { ...run, outcome, workspace: end?.recorded, remedy }, usage),
    );
    // Usually known by now: the log refuses the end of a record that has no beginning.
    await written;
    span.note({ outcome: outcome.status });
    const { used, log, denials } = run;
    const files = end?.files ?? run.files;
    const hint = hintOf(grant, outcome, {
      isForModel: request.via === 'mcp',
      missingPrograms: run.missingPrograms ?? [],
      isInstalled: deps.isInstalled,
    });
    const result: ExecuteResult = { executionId, outcome, usage, used, log, audit };
    if (files !== undefined) result.files = files;
    if (end !== undefined) result.workspace = end.end;
    if (denials !== undefined) result.denials = denials;
    if (hint !== undefined) result.hint = hint;
    if (remedy !== undefined) result.remedy = remedy;
    if (run.missingPrograms !== undefined) result.missingPrograms = run.missingPrograms;
    if (outputJson !== undefined) result.outputJson = outputJson;
    return { result, commit: end?.commit };
  } catch (error) {
    const unwritten = await written.then(() => undefined, asSkillError);
    const refusal = unwritten ?? asSkillError(error);
    span.note({ code: refusal.code });
    // An unavailable log cannot record the refusal.
    if (unwritten === undefined && refusal.code !== 'AUDIT_UNAVAILABLE')
      await during(span.start('end record'), () => recordRefusal(deps, executionId, refusal));
    throw refusal;
  } finally {
    releaseRun?.();
    release();
  }
}

/**
 * Whether a call's only effect is its answer, or it is refused. It may start before its beginning is
 * durable, because its answer waits for the record. Programs are left out: their sandbox is the only
 * barrier.
 */
function reachesNothing(decision: Decision | undefined, request: ExecuteRequest): boolean {
  if (isObserved(request)) return false;
  if (decision === undefined || 'refusal' in decision) return true;
  return decision.skill.run.runtime === 'wasm' && decision.isContained;
}

/** Whether a call's sandbox may be set up while its beginning is written: the executor runs the skill only after. */
function awaitsRecord(decision: Decision | undefined, request: ExecuteRequest): boolean {
  return (
    decision !== undefined &&
    !('refusal' in decision) &&
    decision.executor.awaitsRecord === true &&
    !isObserved(request)
  );
}

/** Whether others notice that a call begins: its observers, or calls that wait for its workspace. */
function isObserved({ workspace, recorded, onEvent }: ExecuteRequest): boolean {
  const isRead = onEvent !== undefined && onEvent.whenRead === undefined;
  return workspace !== undefined || recorded !== undefined || isRead;
}

/** A signal that also aborts if the beginning of the record cannot be written. Call `release` at the end. */
function untilUnwritten(
  written: Promise<unknown>,
  canceled: AbortSignal,
): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const cancel = (): void => controller.abort(canceled.reason);
  if (canceled.aborted) cancel();
  canceled.addEventListener('abort', cancel, { once: true });
  written.catch((error: unknown) => controller.abort(error));
  return { signal: controller.signal, release: () => canceled.removeEventListener('abort', cancel) };
}

function hintOf(grant: Grant, outcome: Outcome, context: HintContext): string | undefined {
  if (outcome.status !== 'failed') return undefined;
  const { failure, stderr, stdout = '' } = outcome;
  return failureHint(grant, failure, stderr, context) ?? failureHint(grant, failure, stdout, context);
}

function skillFacts({ id, sidecar, tier }: Skill): SpanFacts['skill'] & object {
  return { id, version: sidecar.version, tier };
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
