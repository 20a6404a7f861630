import type { Grant } from '../../grant/grant.ts';
import type { SchemaIssue } from '../../json/json-schema.ts';
import type { JsonText } from '../../json/json-text.ts';
import type { Outcome } from '../../outcome/outcome.ts';
import { SkillError } from '../../outcome/skill-error.ts';
import { thrownText } from '../../outcome/thrown-text.ts';
import { type Payload, payloadSchema } from '../../skill/run.ts';
import type { ToolSkill } from '../../skill/skill.ts';
import { isPlainScript } from '../../skill/tool-skill.ts';
import { isWorkspacePath, staysInside, type WorkspaceEntry } from '../../workspace/workspace-file.ts';
import type { RunInput } from '../executor/executor.ts';
import type { CallerInput, ExecuteDeps, ExecuteRequest } from './execute-request.ts';

/** The caller's input, with the JSON of it that was recorded: the run gets the same bytes. */
type RecordedInput = CallerInput & { inputJson: JsonText | undefined };

/** The input of a run in the form of the skill's protocol. Throws `INPUT_INVALID`, with what to send instead. */
export async function inputOf(
  deps: ExecuteDeps,
  grant: Grant,
  { executionId }: ExecuteRequest,
  given: RecordedInput,
  signal: AbortSignal,
): Promise<RunInput> {
  const context = { executionId, caller: given.context ?? {} };
  const placed = checkFiles(grant, given.files);
  const input: RunInput = { ...shapedInput(grant, given), ...placed, context };
  const issues = await inputIssues(deps, grant, given, signal);
  if (issues.length > 0) throw withIssues(`invalid input for ${grant.skill.id}`, issues);
  const ofContext = await contextIssues(deps, given, signal);
  if (ofContext.length > 0) throw withIssues('invalid context', ofContext);
  return input;
}

/** The input without its files, if it has the members that the skill's protocol needs. */
function shapedInput({ skill }: Grant, given: RecordedInput): RunInput {
  if (skill.run.protocol === 'command') {
    const args = checkArgs(given.args);
    if (given.input === undefined) return { protocol: 'command', args, stdin: given.stdin ?? '' };
    if (!isPlainScript(skill)) {
      throw inputInvalid(
        `${skill.id} uses protocol command: send "args" (a list of strings) and "stdin" (a string) instead of "input"`,
      );
    }
    if (given.stdin !== undefined) {
      throw inputInvalid(
        `${skill.id} gets "input" as JSON on its stdin: send either "input" or "stdin", not both`,
      );
    }
    return { protocol: 'command', args, stdin: { json: given.inputJson ?? given.input } };
  }
  if (given.args !== undefined || given.stdin !== undefined) {
    throw inputInvalid(`${skill.id} uses protocol json: send "input" instead of "args" and "stdin"`);
  }
  if (given.input === undefined) {
    throw inputInvalid(`${skill.id} needs an "input": send a value that matches its input schema`);
  }
  return { protocol: 'json', value: given.inputJson ?? given.input };
}

async function inputIssues(
  deps: ExecuteDeps,
  { skill: { run } }: Grant,
  { input }: CallerInput,
  signal: AbortSignal,
): Promise<readonly SchemaIssue[]> {
  if (run.protocol === 'command' && input === undefined) return [];
  // Runs without a schema too: the checker also refuses values that no schema accepts.
  return issuesOf(deps, run.input ?? true, input, signal);
}

/** Skills read their context as JSON, which cannot represent every value. */
async function contextIssues(
  deps: ExecuteDeps,
  { context }: CallerInput,
  signal: AbortSignal,
): Promise<readonly SchemaIssue[]> {
  return context === undefined ? [] : issuesOf(deps, true, context, signal);
}

function withIssues(what: string, issues: readonly SchemaIssue[]): SkillError {
  return new SkillError('INPUT_INVALID', `${what}: ${issues.map(issueText).join('; ')}`, {
    details: { issues },
  });
}

/** Linux permits 2 MiB, including the environment and the arguments of bubblewrap. */
const argsBytesMax = 1024 * 1024;

function checkArgs(args: readonly string[] = []): readonly string[] {
  const encoder = new TextEncoder();
  const bytes = args.reduce((sum, argument) => sum + encoder.encode(argument).length, 0);
  if (bytes <= argsBytesMax) return args;
  throw inputInvalid(
    `the arguments have ${bytes} bytes, and the limit is ${argsBytesMax}; send long values as "stdin" or as a file`,
  );
}

function checkFiles(
  { skill, capabilities }: Grant,
  files: readonly WorkspaceEntry[] = [],
): Pick<RunInput, 'files'> {
  if (files.length > 0 && !skill.run.capabilities.filesystem.write.includes('workspace')) {
    throw inputInvalid(
      `${skill.id} has no workspace for files: its ambit.yaml does not request filesystem: { write: [workspace] }`,
    );
  }
  // The key's ceiling or the caller's narrowing can exclude it.
  if (files.length > 0 && !capabilities.filesystem.write.includes('workspace')) {
    throw new SkillError(
      'CAPABILITY_DENIED',
      `${skill.id} needs a workspace for the files of this call, which is not granted; call without "files", or without narrowing filesystem.write`,
    );
  }
  const odd = files.find(({ path }) => !isWorkspacePath(path));
  if (odd !== undefined) {
    throw inputInvalid(
      `${JSON.stringify(odd.path.slice(0, 200))} is not a path in the workspace; use a relative path without "." and ".."`,
    );
  }
  const out = files.find((entry) => 'link' in entry && !staysInside(entry));
  if (out !== undefined) {
    throw inputInvalid(
      `the link ${JSON.stringify(out.path.slice(0, 200))} leads out of the workspace; use a relative target without "..", except at its start, or send the file itself`,
    );
  }
  const seen = new Set<string>();
  for (const { path } of files) {
    if (seen.has(path)) throw inputInvalid(`the file ${JSON.stringify(path)} is listed twice`);
    seen.add(path);
  }
  return files.length === 0 ? {} : { files };
}

/** The outcome after the output is checked against the skill's schema. */
export async function checkOutput(
  deps: ExecuteDeps,
  skill: ToolSkill,
  outcome: Outcome,
  signal: AbortSignal,
): Promise<Outcome> {
  if (outcome.status !== 'succeeded' || skill.run.protocol === 'command') return outcome;
  // The skill has run, so an invalid output or schema is an outcome, not a refusal.
  const invalid = (detail: string): Outcome => ({ status: 'output-invalid', detail, stderr: '' });
  try {
    const issues = await issuesOf(deps, skill.run.output, outcome.output, signal);
    return issues.length === 0 ? outcome : invalid(issues.map(issueText).join('; '));
  } catch (error) {
    return invalid(thrownText(error));
  }
}

async function issuesOf(
  deps: ExecuteDeps,
  payload: Payload | undefined,
  value: unknown,
  signal: AbortSignal,
): Promise<readonly SchemaIssue[]> {
  const schema = payloadSchema(payload);
  return schema === undefined ? [] : deps.schemas.check(schema, value, signal);
}

function inputInvalid(message: string): SkillError {
  return new SkillError('INPUT_INVALID', message);
}

function issueText({ at, message }: SchemaIssue): string {
  return at === '' ? message : `${at}: ${message}`;
}
