import type { RecordedWorkspace } from '../audit/audit-event.ts';
import type { Grant } from '../capability/grant.ts';
import type { CallerInput, ExecuteDeps, ExecuteRequest } from '../execute/execute-request.ts';
import type { Outcome } from '../execute/outcome.ts';
import { SkillError } from '../execute/skill-error.ts';
import type { FileChange, WorkspaceFile } from '../execute/workspace-file.ts';
import { contentsDigest, usedBytes } from './workspace.ts';
import type { StagedChange, WorkspaceChange, WorkspaceLease } from './workspace-lease.ts';

/** What became of a workspace by a call: all that the run left, or nothing of it. */
export type WorkspaceEnd =
  | { id: string; kept: true; usedBytes: number }
  /** It is as it was before the call. */
  | { id: string; kept: false; why: string };

/** How a call ended for the workspace that it ran in. Nothing of it is seen before `commit`. */
interface CallEnd {
  end: WorkspaceEnd;
  /** Absent where the call never had it. */
  recorded?: RecordedWorkspace;
  commit(): Promise<void>;
}

/** The workspace of one call; where the call names none, it does nothing. */
export interface CallWorkspace {
  /** Waits for it. Throws when the caller has no such workspace, the grant has none, or too many wait. */
  enter(grant: Grant, signal: AbortSignal): Promise<void>;
  /** What the run starts with: what is kept, and the call's own files in its place. */
  filled(input: CallerInput): Promise<CallerInput>;
  /** `undefined` for a call without one. */
  ended(outcome: Outcome, changes: readonly FileChange[] | undefined): Promise<CallEnd | undefined>;
  /** Gives it to the next. */
  leave(): Promise<void>;
}

/** The workspace that a call names. */
export function callWorkspace(
  { workspaces, sha256 }: Pick<ExecuteDeps, 'workspaces' | 'sha256'>,
  { workspace: id, actor }: Pick<ExecuteRequest, 'workspace' | 'actor'>,
): CallWorkspace {
  let turn: WorkspaceLease | undefined;
  let given: readonly WorkspaceFile[] = [];
  return {
    async enter(grant, signal) {
      if (id === undefined) return;
      requireWorkspace(grant);
      if (workspaces === undefined)
        throw new SkillError(
          'WORKSPACE_NOT_FOUND',
          'workspaces that last are kept by a daemon; there is none here',
        );
      turn = await workspaces.enter(actor, id, signal);
    },
    async filled(input) {
      if (turn === undefined) return input;
      given = input.files ?? [];
      const own = new Set(given.map(({ path }) => path));
      const kept = (await turn.files()).filter(({ path }) => !own.has(path));
      return { ...input, files: [...kept, ...given] };
    },
    async ended(outcome, changes) {
      if (id === undefined) return undefined;
      if (turn === undefined)
        return { end: { id, kept: false, why: whyNotKept(outcome) }, commit: async () => undefined };
      const before = contentsDigest(turn.workspace(), sha256);
      const staged = await stagedOf(turn, outcome, given, changes);
      if (typeof staged === 'string')
        return {
          end: { id, kept: false, why: staged },
          recorded: { id, before, after: before },
          commit: async () => undefined,
        };
      const { workspace, commit } = staged;
      return {
        end: { id, kept: true, usedBytes: usedBytes(workspace) },
        recorded: { id, before, after: contentsDigest(workspace, sha256) },
        commit,
      };
    },
    async leave() {
      await turn?.release();
    },
  };
}

/** Before anybody waits: a key's ceiling, or the caller itself, may have taken it away. */
function requireWorkspace({ skill, capabilities: { filesystem } }: Grant): void {
  if (filesystem.write.includes('workspace')) return;
  const { read, write } = skill.run.capabilities.filesystem;
  if (!write.includes('workspace')) {
    const how = read.includes('workspace') ? 'only reads one' : 'has none';
    throw new SkillError(
      'INPUT_INVALID',
      `${skill.id} ${how}, so that it cannot run in a workspace; its ambit.yaml would request filesystem: { write: [workspace] }`,
    );
  }
  throw new SkillError(
    'CAPABILITY_DENIED',
    `${skill.id} is not run: this call is not granted the workspace that it names; call without "workspace", or without narrowing filesystem.write`,
  );
}

/** What the run leaves as a change; or why nothing of it is kept. */
async function stagedOf(
  turn: WorkspaceLease,
  outcome: Outcome,
  given: readonly WorkspaceFile[],
  changes: readonly FileChange[] | undefined,
): Promise<StagedChange | string> {
  if (outcome.status !== 'succeeded') return whyNotKept(outcome);
  if (changes === undefined) return 'what the run left could not be read back';
  const change = changeOf(given, changes);
  if (typeof change === 'string') return change;
  try {
    return await turn.stage(change);
  } catch (error) {
    if (error instanceof SkillError) return error.message;
    throw error;
  }
}

function whyNotKept({ status }: Outcome): string {
  return `the run ended as ${status}`;
}

function changeOf(given: readonly WorkspaceFile[], changes: readonly FileChange[]): WorkspaceChange | string {
  const put = new Map(given.map((file) => [file.path, file]));
  const drop: string[] = [];
  const seen = new Set<string>();
  for (const { path, content, change, omitted } of changes) {
    if (seen.has(path)) return `two names of what the run left are both shown as ${JSON.stringify(path)}`;
    seen.add(path);
    if (change === 'deleted') {
      drop.push(path);
      put.delete(path);
    } else if (content === null) return `${JSON.stringify(path)}: ${omitted ?? 'it could not be read'}`;
    else put.set(path, { path, content });
  }
  return { put: [...put.values()], drop };
}
