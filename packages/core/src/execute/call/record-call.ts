import type { CallFinished, CallStarted } from '../../audit/audit-event.ts';
import type { AuditPosition } from '../../audit/audit-log.ts';
import type {
  ContentDigest,
  RecordedPayload,
  RecordedSkill,
  RecordedWorkspace,
} from '../../audit/event-parts.ts';
import { recordedPayload } from '../../audit/recorded-payload.ts';
import { type Awaitable, isPending } from '../../awaitable.ts';
import type { Denial } from '../../capability/denial.ts';
import { type CallRequest, callRequest } from '../../grant/call-request.ts';
import type { Grant } from '../../grant/grant.ts';
import type { JsonText } from '../../json/json-text.ts';
import type { Outcome, Usage } from '../../outcome/outcome.ts';
import { SkillError } from '../../outcome/skill-error.ts';
import { type BrokenSkill, isBroken } from '../../skill/catalog.ts';
import { asToolSkill, type Skill } from '../../skill/skill.ts';
import type { RunResult } from '../executor/executor.ts';
import type { ExecuteDeps, ExecuteRequest } from './execute-request.ts';

/** The beginning of a record. */
export interface StartedRecord {
  /** The JSON of the call's `input`, which the recorded digest covers; `undefined` without one. */
  inputJson: JsonText | undefined;
  /** Settles when the beginning is durable, or cannot be written. */
  written: Promise<unknown>;
}

/** Begins the record of a call, even if the skill does not exist. */
export async function recordStart(
  deps: ExecuteDeps,
  request: ExecuteRequest,
  found: Skill | BrokenSkill | undefined,
  { time, mayWait }: { time: number; mayWait: boolean },
): Promise<StartedRecord> {
  const skill = found === undefined || isBroken(found) ? undefined : found;
  const { files = [], ...given } = request.input;
  const writing = given.input === undefined ? undefined : deps.json.write(given.input);
  const inputJson = isPending(writing) ? await writing : writing;
  // The digest is over the call's JSON, with each file by its path, size and digest.
  const listed = files.map(({ path, content }) => ({ path, ...contentDigest(deps, content) }));
  const writingAll = deps.json.write({
    ...given,
    ...(inputJson && { input: inputJson }),
    ...(listed.length > 0 && { files: listed }),
  });
  const input = isPending(writingAll) ? await writingAll : writingAll;
  // Any of several skills may be meant, and one of them may allow no stored payloads.
  const isAmbiguous = found !== undefined && isBroken(found) && found.code === 'SKILL_AMBIGUOUS';
  const redacting = isAmbiguous ? undefined : payloadFor(deps, request.skillId, 'input', input);
  const payload = isPending(redacting) ? await redacting : redacting;
  const event: CallStarted = {
    kind: 'call.started',
    executionId: request.executionId,
    time,
    via: request.via,
    actor: request.actor,
    skill: skill === undefined ? { id: request.skillId.slice(0, 200) } : recorded(skill),
    policyDigest: deps.policy.digest,
    ...recordedRequest(requestOf(deps, skill, request.input.script)),
    input: digestOfJson(input),
  };
  if (request.parentId !== undefined) event.parentId = request.parentId;
  if (request.workspace !== undefined) event.workspace = request.workspace.slice(0, 200);
  if (payload !== undefined) event.kept = contentDigest(deps, payload.text);
  return { inputJson, written: deps.audit.append(event, payload, { mayWait }) };
}

/**
 * Ends the record of a call that ran. `outputJson` is the JSON of its output, whose digest is recorded;
 * `undefined` for a run that did not succeed.
 */
export async function recordEnd(
  deps: ExecuteDeps,
  { executionId, skillId }: ExecuteRequest,
  grant: Grant,
  {
    outcome,
    sandbox,
    denials = [],
    connections,
    used,
    workspace,
    log,
  }: RunResult & { workspace?: RecordedWorkspace | undefined },
  usage: Usage,
): Promise<{ audit: AuditPosition; outputJson: JsonText | undefined }> {
  const writing = recordedOutput(deps, outcome, log);
  const output = isPending(writing) ? await writing : writing;
  const outputJson = outcome.status === 'succeeded' ? output : undefined;
  const redacting = output === undefined ? undefined : payloadFor(deps, skillId, 'output', output);
  const payload = isPending(redacting) ? await redacting : redacting;
  const event: CallFinished = {
    kind: 'call.finished',
    executionId,
    time: deps.now(),
    granted: grant.capabilities,
    limits: grant.limits,
    sandbox,
    outcome: outcome.status,
    failure: outcome.status === 'failed' ? outcome.failure : null,
    output: outputJson === undefined ? null : digestOfJson(outputJson),
    usage,
    denied: denials,
    used,
  };
  // Over MCP it can be text from the client.
  if (outcome.status === 'canceled') event.reason = outcome.reason.slice(0, 1000);
  if (connections !== undefined) event.connections = connections;
  if (workspace !== undefined) event.workspace = workspace;
  if (payload !== undefined) event.kept = contentDigest(deps, payload.text);
  const audit = await deps.audit.append(event, payload);
  return { audit, outputJson };
}

/** Ends the record of a call that was refused or could not start. */
export async function recordRefusal(
  deps: ExecuteDeps,
  executionId: string,
  { code, message, details }: SkillError,
): Promise<void> {
  await deps.audit.append({
    kind: 'call.denied',
    executionId,
    time: deps.now(),
    code,
    message: message.slice(0, 4000),
    denied: (details['denials'] as readonly Denial[] | undefined) ?? [],
  });
}

/** What a call requests; `undefined` if that is unknown, because the call will be refused. */
function requestOf(
  { policy }: ExecuteDeps,
  skill: Skill | undefined,
  script: string | undefined,
): CallRequest | undefined {
  try {
    const tool = skill && asToolSkill(skill, script);
    return tool && callRequest(policy, tool);
  } catch (error) {
    if (error instanceof SkillError) return undefined;
    throw error;
  }
}

function recordedRequest(request: CallRequest | undefined): Pick<CallStarted, 'requested' | 'added'> {
  if (request?.added === undefined) return { requested: request?.capabilities ?? null };
  return { requested: request.capabilities, added: request.added };
}

function recorded({ id, sidecar, digest, tier, dependencies }: Skill): RecordedSkill {
  const skill = { id, version: sidecar.version ?? null, digest, tier };
  return dependencies === undefined ? skill : { ...skill, dependencies: dependencies.digest };
}

/** The output that can be stored: the result, or what the run wrote before it was ended. */
function recordedOutput(
  { json }: ExecuteDeps,
  outcome: Outcome,
  log: string,
): Awaitable<JsonText | undefined> {
  switch (outcome.status) {
    case 'succeeded':
      return json.write(outcome.output);
    case 'failed':
      return json.write({ stdout: outcome.stdout, stderr: outcome.stderr });
    case 'output-invalid':
      return json.write({ detail: outcome.detail, stderr: outcome.stderr });
    case 'interrupted':
      return undefined;
    default: {
      const { stdout, stderr = log } = outcome;
      return stdout || stderr ? json.write({ stdout, stderr }) : undefined;
    }
  }
}

function payloadFor(
  { payloads }: ExecuteDeps,
  skillId: string,
  of: RecordedPayload['of'],
  json: JsonText,
): Awaitable<RecordedPayload | undefined> {
  return recordedPayload(payloads.policyFor(skillId), payloads.redactor, of, json);
}

function digestOfJson({ sha256, bytes }: JsonText): ContentDigest {
  return { digest: `sha256:${sha256}`, bytes: bytes.length };
}

function contentDigest(deps: ExecuteDeps, content: string | Uint8Array): ContentDigest {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return { digest: `sha256:${deps.sha256(bytes)}`, bytes: bytes.length };
}
