import type { AuditPosition } from '../audit/audit-log.ts';
import type { Denial } from '../capability/denial.ts';
import { grantCall } from '../capability/grant.ts';
import { type BrokenSkill, isBroken } from '../skill/catalog.ts';
import type { JsonSchema } from '../skill/sidecar.ts';
import { asToolSkill, type Skill, type ToolSkill } from '../skill/skill.ts';
import type { CallerInput, ExecuteDeps, ExecuteRequest } from './execute-request.ts';
import type { Execution, ExecutionInput } from './executor.ts';
import { executorFor } from './executor-for.ts';
import type { SchemaIssue } from './json-schema-checker.ts';
import type { Outcome, Usage } from './outcome.ts';
import { recordEnd, recordRefusal, recordStart } from './record-call.ts';
import { SkillError } from './skill-error.ts';
import { type FileChange, isWorkspacePath, type WorkspaceFile } from './workspace-file.ts';

/** The answer to a call that ran. */
export interface ExecuteResult {
  executionId: string;
  outcome: Outcome;
  usage: Usage;
  /** What the skill wrote beside its output, bounded. */
  log: string;
  /** What the run left different in its workspace; absent where it has none, or did not end by itself. */
  files?: readonly FileChange[];
  /** What the run tried to touch and was not let, with the line that would grant it; absent: nothing. */
  denials?: readonly Denial[];
  audit: AuditPosition;
}

/**
 * Runs one skill call from end to end; every door leads here. The record is begun before anything is decided, and the
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
  const { executionId } = request;
  const startedAt = deps.now();
  // Looked up first and judged later: `find` never rejects, so that probing for unknown skills leaves a trace too,
  // and a record without an end still names what was running.
  const found = await deps.catalog.find(request.skillId);
  await recordStart(deps, request, found, startedAt);
  request.recorded?.();
  try {
    const skill = requireTool(request.skillId, found, request.input.script);
    const grant = grantCall(deps.policy, skill, request.narrowing, deps.ceiling);
    const executor = executorFor(deps.executors, grant);
    const { execution, queueMs } = await inTurn(deps, skill.id, signal, async () => {
      const input = await inputOf(deps, skill, request, signal);
      request.watch?.({ kind: 'started' });
      return executor.execute(grant, input, signal, request.watch);
    });
    const outcome = await checkOutput(deps, skill, execution.outcome, signal);
    const usage = { ...execution.usage, queueMs: queueMs + (execution.waitedMs ?? 0) };
    const audit = await recordEnd(deps, request, grant, { ...execution, outcome }, usage);
    const { log, files, denials } = execution;
    return {
      ...{ executionId, outcome, usage, log },
      ...(files === undefined ? {} : { files }),
      ...(denials === undefined ? {} : { denials }),
      audit,
    };
  } catch (error) {
    const refusal = asSkillError(error);
    // A log that is gone cannot take the news that it is gone.
    if (refusal.code !== 'AUDIT_UNAVAILABLE') await recordRefusal(deps, executionId, refusal);
    throw refusal;
  }
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

async function inputOf(
  deps: ExecuteDeps,
  skill: ToolSkill,
  { executionId, input }: ExecuteRequest,
  signal: AbortSignal,
): Promise<ExecutionInput> {
  const checked = await checkInput(deps, skill, input, signal);
  return { ...checked, context: { executionId, caller: input.context ?? {} } };
}

async function checkInput(
  deps: ExecuteDeps,
  skill: ToolSkill,
  given: CallerInput,
  signal: AbortSignal,
): Promise<ExecutionInput> {
  const placed = checkFiles(skill, given.files);
  if (skill.run.protocol === 'command') {
    if (given.input !== undefined) {
      throw inputInvalid(
        `${skill.id} speaks protocol command: send "args" (a list of strings) and "stdin" (a string) instead of "input"`,
      );
    }
    return { protocol: 'command', args: given.args ?? [], stdin: given.stdin ?? '', ...placed };
  }
  if (given.args !== undefined || given.stdin !== undefined) {
    throw inputInvalid(`${skill.id} speaks protocol json: send "input" instead of "args" and "stdin"`);
  }
  if (given.input === undefined) {
    throw inputInvalid(`${skill.id} needs an "input"; its schema is at GET /skills/${skill.id}`);
  }
  const issues = await issuesOf(deps, skill.run.input, given.input, signal);
  if (issues.length > 0) {
    throw new SkillError(
      'INPUT_INVALID',
      `the input does not fit ${skill.id}: ${issues.map(issueText).join('; ')}`,
      {
        details: { issues },
      },
    );
  }
  return { protocol: 'json', value: given.input, ...placed };
}

function checkFiles(skill: ToolSkill, files: readonly WorkspaceFile[] = []): Pick<ExecutionInput, 'files'> {
  if (files.length > 0 && !skill.run.capabilities.filesystem.write.includes('workspace')) {
    throw inputInvalid(
      `${skill.id} has no workspace to put files into; its ambit.yaml does not request filesystem: { write: [workspace] }`,
    );
  }
  const odd = files.find(({ path }) => !isWorkspacePath(path));
  if (odd !== undefined) {
    throw inputInvalid(
      `${JSON.stringify(odd.path.slice(0, 200))} is no place in the workspace; write a relative path without "." and ".."`,
    );
  }
  const seen = new Set<string>();
  for (const { path } of files) {
    if (seen.has(path)) throw inputInvalid(`there are two files ${JSON.stringify(path)}`);
    seen.add(path);
  }
  return files.length === 0 ? {} : { files };
}

/**
 * Runs when there is a place, and gives it back. A skill's schemas are looked at only then: what they cost is the
 * skill's own. A call that is canceled while it waits has run for no time at all.
 */
async function inTurn(
  deps: ExecuteDeps,
  skillId: string,
  signal: AbortSignal,
  run: () => Promise<Execution>,
): Promise<{ execution: Execution; queueMs: number }> {
  const joinedAt = deps.now();
  const place = await deps.queue.enter(skillId, signal);
  const queueMs = deps.now() - joinedAt;
  if (place === undefined) return { execution: neverRun(signal), queueMs };
  try {
    return { execution: await run(), queueMs };
  } finally {
    place.leave();
  }
}

function neverRun({ reason }: AbortSignal): Execution {
  return {
    outcome: { status: 'canceled', reason: reason instanceof Error ? reason.message : String(reason) },
    usage: { durationMs: 0, cpuMs: null, memoryPeakBytes: null, fuelConsumed: null },
    log: '',
    sandbox: 'none',
  };
}

async function checkOutput(
  deps: ExecuteDeps,
  skill: ToolSkill,
  outcome: Outcome,
  signal: AbortSignal,
): Promise<Outcome> {
  if (outcome.status !== 'succeeded' || skill.run.protocol === 'command') return outcome;
  const detail = await outputComplaint(deps, skill, outcome.output, signal);
  return detail === undefined ? outcome : { status: 'output-invalid', detail, stderr: '' };
}

/** The skill has run by now, so that whatever is wrong with its output or its schema is its outcome and no refusal. */
async function outputComplaint(
  deps: ExecuteDeps,
  skill: ToolSkill,
  output: unknown,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const issues = await issuesOf(deps, skill.run.output, output, signal);
    return issues.length === 0 ? undefined : issues.map(issueText).join('; ');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function issuesOf(
  deps: ExecuteDeps,
  schema: JsonSchema | undefined,
  value: unknown,
  signal: AbortSignal,
): Promise<readonly SchemaIssue[]> {
  return schema === undefined ? [] : deps.schemas.check(schema, value, signal);
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

function inputInvalid(message: string): SkillError {
  return new SkillError('INPUT_INVALID', message);
}

function issueText({ at, message }: SchemaIssue): string {
  return `${at === '' ? 'the value' : at}: ${message}`;
}
