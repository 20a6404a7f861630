import type { JsonSchema } from '../skill/sidecar.ts';
import type { ToolSkill } from '../skill/skill.ts';
import type { CallerInput, ExecuteDeps, ExecuteRequest } from './execute-request.ts';
import type { ExecutionInput } from './executor.ts';
import type { SchemaIssue } from './json-schema-checker.ts';
import { SkillError } from './skill-error.ts';
import { isWorkspacePath, type WorkspaceFile } from './workspace-file.ts';

/** What a caller sent in the shape of the skill's protocol. Throws `INPUT_INVALID` when it does not have it. */
export async function inputOf(
  deps: ExecuteDeps,
  skill: ToolSkill,
  { executionId }: ExecuteRequest,
  input: CallerInput,
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

/** What of a value does not fit a schema; nothing where there is none. */
export async function issuesOf(
  deps: ExecuteDeps,
  schema: JsonSchema | undefined,
  value: unknown,
  signal: AbortSignal,
): Promise<readonly SchemaIssue[]> {
  return schema === undefined ? [] : deps.schemas.check(schema, value, signal);
}

/** One issue in a sentence that goes on. */
export function issueText({ at, message }: SchemaIssue): string {
  return `${at === '' ? 'the value' : at}: ${message}`;
}

function inputInvalid(message: string): SkillError {
  return new SkillError('INPUT_INVALID', message);
}
