import type { Grant } from '../grant/grant.ts';
import type { SchemaIssue } from '../json/json-schema.ts';
import type { JsonText } from '../json/json-text.ts';
import type { Outcome } from '../outcome/outcome.ts';
import { SkillError } from '../outcome/skill-error.ts';
import { thrownText } from '../outcome/thrown-text.ts';
import { type Payload, payloadSchema } from '../skill/run.ts';
import type { ToolSkill } from '../skill/skill.ts';
import { isWorkspacePath, type WorkspaceFile } from '../workspace/workspace-file.ts';
import type { CallerInput, ExecuteDeps, ExecuteRequest } from './execute-request.ts';
import type { RunInput } from './executor.ts';

/** The caller's input, and the same as JSON as it was recorded: the run gets these bytes. */
type RecordedInput = CallerInput & { inputJson: JsonText | undefined };

/** The input of a run, in the shape of its skill's protocol. Throws `INPUT_INVALID`, with what to send instead. */
export async function inputOf(
  deps: ExecuteDeps,
  grant: Grant,
  { executionId }: ExecuteRequest,
  input: RecordedInput,
  signal: AbortSignal,
): Promise<RunInput> {
  const checked = await checkInput(deps, grant, input, signal);
  await checkContext(deps, input, signal);
  return { ...checked, context: { executionId, caller: input.context ?? {} } };
}

async function checkInput(
  deps: ExecuteDeps,
  grant: Grant,
  given: RecordedInput,
  signal: AbortSignal,
): Promise<RunInput> {
  const { skill } = grant;
  const placed = checkFiles(grant, given.files);
  if (skill.run.protocol === 'command') {
    if (given.input !== undefined) {
      throw inputInvalid(
        `${skill.id} speaks protocol command: send "args" (a list of strings) and "stdin" (a string) instead of "input"`,
      );
    }
    return { protocol: 'command', args: checkArgs(given.args), stdin: given.stdin ?? '', ...placed };
  }
  if (given.args !== undefined || given.stdin !== undefined) {
    throw inputInvalid(`${skill.id} speaks protocol json: send "input" instead of "args" and "stdin"`);
  }
  if (given.input === undefined) {
    throw inputInvalid(`${skill.id} needs an "input"; its schema is at GET /skills/${skill.id}`);
  }
  // Also without a schema: what is refused of every value is its checker's to know.
  const issues = await issuesOf(deps, skill.run.input ?? true, given.input, signal);
  if (issues.length > 0) {
    throw new SkillError(
      'INPUT_INVALID',
      `the input does not fit ${skill.id}: ${issues.map(issueText).join('; ')}`,
      {
        details: { issues },
      },
    );
  }
  return { protocol: 'json', value: given.inputJson ?? given.input, ...placed };
}

/** A skill that asks for its context is shown it as JSON, which not every value can be. */
async function checkContext(deps: ExecuteDeps, { context }: CallerInput, signal: AbortSignal): Promise<void> {
  if (context === undefined) return;
  const issues = await issuesOf(deps, true, context, signal);
  if (issues.length === 0) return;
  throw new SkillError('INPUT_INVALID', `the context cannot be used: ${issues.map(issueText).join('; ')}`, {
    details: { issues },
  });
}

/** Linux takes 2 MiB, with the environment and what the walls are told. */
const argsBytesMax = 1024 * 1024;

function checkArgs(args: readonly string[] = []): readonly string[] {
  const encoder = new TextEncoder();
  const bytes = args.reduce((sum, argument) => sum + encoder.encode(argument).length, 0);
  if (bytes <= argsBytesMax) return args;
  throw inputInvalid(
    `the arguments have ${bytes} bytes together, and may have ${argsBytesMax}; send what is long as "stdin" or as a file`,
  );
}

function checkFiles(
  { skill, capabilities }: Grant,
  files: readonly WorkspaceFile[] = [],
): Pick<RunInput, 'files'> {
  if (files.length > 0 && !skill.run.capabilities.filesystem.write.includes('workspace')) {
    throw inputInvalid(
      `${skill.id} has no workspace to put files into; its ambit.yaml does not request filesystem: { write: [workspace] }`,
    );
  }
  // Its key's ceiling, or the caller itself, may have taken it away.
  if (files.length > 0 && !capabilities.filesystem.write.includes('workspace')) {
    throw new SkillError(
      'CAPABILITY_DENIED',
      `${skill.id} is not run: this call is not granted the workspace that its files are for; call without "files", or without narrowing filesystem.write`,
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

/** How a run ended, once its output has been held against the skill's schema for it. */
export async function checkOutput(
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
    return thrownText(error);
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
  return `${at === '' ? 'the value' : at}: ${message}`;
}
