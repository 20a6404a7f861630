import type { CallFinished, CallStarted } from '../../audit/audit-event.ts';
import type { AuditPosition } from '../../audit/audit-log.ts';
import type { ContentDigest, RecordedPayload, RecordedWorkspace } from '../../audit/event-parts.ts';
import { recordedPayload } from '../../audit/recorded-payload.ts';
import type { Denial } from '../../capability/denial.ts';
import type { Grant } from '../../grant/grant.ts';
import { JsonText } from '../../json/json-text.ts';
import type { Outcome, Usage } from '../../outcome/outcome.ts';
import type { SkillError } from '../../outcome/skill-error.ts';
import { type BrokenSkill, isBroken } from '../../skill/catalog.ts';
import type { Skill } from '../../skill/skill.ts';
import { digestOf } from '../../workspace/file-content.ts';
import type { RunResult } from '../executor/executor.ts';
import { type Decision, recordedRefusal } from './decide-call.ts';
import type { CallerInput, ExecuteDeps, ExecuteRequest } from './execute-request.ts';

/** The beginning of a record. */
export interface StartedRecord {
  /** The JSON of the call's `input`, which the recorded digest covers; `undefined` without one. */
  inputJson: JsonText | undefined;
  /** Settles when the beginning is durable, or cannot be written. */
  written: Promise<unknown>;
}

/**
 * Begins the record of a call, even if the skill does not exist. `mayWait`: the log may write it together
 * with the end.
 */
export async function recordStart(
  deps: ExecuteDeps,
  request: ExecuteRequest,
  found: Skill | BrokenSkill | undefined,
  { decision, time, mayWait }: { decision: Decision | undefined; time: number; mayWait: boolean },
): Promise<StartedRecord> {
  const { inputJson, input } = await writtenInput(deps, request.input);
  // Any of several skills may be meant, and one of them may allow no stored payloads.
  const isAmbiguous = found !== undefined && isBroken(found) && found.code === 'SKILL_AMBIGUOUS';
  const payload = isAmbiguous ? undefined : await payloadFor(deps, request.skillId, 'input', input);
  const isGranted = decision !== undefined && !('refusal' in decision);
  const { skill, requested, added } = isGranted ? decision.recorded : recordedRefusal(deps, request, found);
  // Sorted keys, which canonical JSON needs, are faster to write.
  const event: CallStarted = {
    actor: request.actor,
    executionId: request.executionId,
    input: digestOfJson(input),
    kind: 'call.started',
    policyDigest: deps.policy.digest,
    requested,
    skill,
    time,
    via: request.via,
  };
  if (added !== undefined) event.added = added;
  if (request.parentId !== undefined) event.parentId = request.parentId;
  if (request.workspace !== undefined) event.workspace = request.workspace.slice(0, 200);
  if (payload !== undefined) event.stored = contentDigest(deps, payload.text);
  return { inputJson, written: deps.audit.append(event, payload, { mayWait }) };
}

interface WrittenInput {
  /** The JSON of the call's `input`; `undefined` without one. */
  inputJson: JsonText | undefined;
  /** The JSON of everything that the caller sent. Its digest is recorded. */
  input: JsonText;
}

async function writtenInput(deps: ExecuteDeps, given: CallerInput): Promise<WrittenInput> {
  const { input, args, stdin, script, command, context, files } = given;
  const isAlone =
    args === undefined &&
    stdin === undefined &&
    script === undefined &&
    command === undefined &&
    context === undefined &&
    files === undefined;
  if (!isAlone || input === undefined || input instanceof JsonText) return writtenParts(deps, given);
  // Serialized once: the input is a part of the whole.
  const written = await deps.json.write({ input });
  const bytes = written.bytes.subarray('{"input":'.length, -'}'.length);
  // Empty for a value that JSON omits, such as a function.
  if (bytes.length === 0) return writtenParts(deps, given);
  return { inputJson: new JsonText(bytes, () => deps.sha256(bytes)), input: written };
}

async function writtenParts(deps: ExecuteDeps, { files = [], ...given }: CallerInput): Promise<WrittenInput> {
  const inputJson = given.input === undefined ? undefined : await deps.json.write(given.input);
  const { stdin } = given;
  // Each file by its path, size and digest, and so are bytes on stdin.
  const listed = files.map((entry) => {
    if (!('content' in entry)) return entry;
    const { content, ...file } = entry;
    return { ...file, digest: `sha256:${digestOf(content, deps.sha256)}`, bytes: content.length };
  });
  const input = await deps.json.write({
    ...given,
    input: inputJson,
    files: listed.length > 0 ? listed : undefined,
    stdin: stdin instanceof Uint8Array ? contentDigest(deps, stdin) : stdin,
  });
  return { inputJson, input };
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
    hostCalls,
    redactions,
    missingPrograms,
    used,
    workspace,
    log,
    remedy,
  }: RunResult & { workspace?: RecordedWorkspace | undefined; remedy: string | undefined },
  usage: Usage,
): Promise<{ audit: AuditPosition; outputJson: JsonText | undefined }> {
  const output = await recordedOutput(deps, outcome, log);
  const outputJson = outcome.status === 'succeeded' ? output : undefined;
  const payload = output === undefined ? undefined : await payloadFor(deps, skillId, 'output', output);
  const event: CallFinished = {
    denied: denials,
    executionId,
    failure: outcome.status === 'failed' ? outcome.failure : null,
    granted: grant.capabilities,
    kind: 'call.finished',
    limits: grant.limits,
    outcome: outcome.status,
    output: outputJson === undefined ? null : digestOfJson(outputJson),
    sandbox,
    time: deps.now(),
    usage,
    used,
  };
  // Over MCP it can be text from the client.
  if (outcome.status === 'canceled') event.reason = outcome.reason.slice(0, 1000);
  if (remedy !== undefined) event.remedy = remedy;
  if (connections !== undefined) event.connections = connections;
  if (hostCalls !== undefined) event.hostCalls = hostCalls;
  if (redactions !== undefined) event.redactions = redactions;
  if (missingPrograms !== undefined) event.missingPrograms = missingPrograms;
  if (workspace !== undefined) event.workspace = workspace;
  if (payload !== undefined) event.stored = contentDigest(deps, payload.text);
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

/** The output that can be stored: the result, or what the run wrote before it was ended. */
async function recordedOutput(
  { json }: ExecuteDeps,
  outcome: Outcome,
  log: string,
): Promise<JsonText | undefined> {
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

async function payloadFor(
  { payloads }: ExecuteDeps,
  skillId: string,
  of: RecordedPayload['of'],
  json: JsonText,
): Promise<RecordedPayload | undefined> {
  if (payloads === undefined) return undefined;
  return recordedPayload(payloads.policyFor(skillId), payloads.redactor, of, json);
}

function digestOfJson({ sha256, bytes }: JsonText): ContentDigest {
  return { digest: `sha256:${sha256}`, bytes: bytes.length };
}

function contentDigest(deps: ExecuteDeps, content: string | Uint8Array): ContentDigest {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return { digest: `sha256:${deps.sha256(bytes)}`, bytes: bytes.length };
}
