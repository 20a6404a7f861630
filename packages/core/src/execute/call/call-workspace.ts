import { z } from 'zod';
import { LeftOut, type RecordedWorkspace } from '../../audit/event-parts.ts';
import type { Grant } from '../../grant/grant.ts';
import type { Outcome } from '../../outcome/outcome.ts';
import { SkillError } from '../../outcome/skill-error.ts';
import { contentsDigest, usedBytes } from '../../workspace/workspace.ts';
import type { FileChange, WorkspaceEntry } from '../../workspace/workspace-file.ts';
import type { StagedChange, WorkspaceChange, WorkspaceLease } from '../../workspace/workspace-lease.ts';
import type { RunInput } from '../executor/executor.ts';
import type { CallerInput, ExecuteDeps, ExecuteRequest } from './execute-request.ts';

/** The record and the answer name this many; the files of the answer have all of them. */
const leftOutMax = 20;

/** The effect of a call on its workspace, which is unchanged if `stored` is false. */
export const WorkspaceEnd = z
  .union([
    z.strictObject({
      id: z.string(),
      stored: z.literal(true),
      usedBytes: z.number().describe('The size of all its files together.'),
      leftOut: LeftOut.exactOptional(),
    }),
    z.strictObject({ id: z.string(), stored: z.literal(false), why: z.string() }),
  ])
  .meta({
    id: 'WorkspaceEnd',
    description: 'What a call did to its workspace: either all changes of the run are stored, or none.',
  });
export type WorkspaceEnd = z.output<typeof WorkspaceEnd>;

/** The end of a call in its workspace. No change is visible before `commit`. */
interface CallEnd {
  end: WorkspaceEnd;
  /** Absent if the call never entered the workspace. */
  recorded?: RecordedWorkspace;
  /** The changes for the response. They need nothing of the run any more. */
  files?: readonly FileChange[] | undefined;
  commit(): Promise<void>;
}

/** The workspace of one call. Does nothing if the call names none. */
export interface CallWorkspace {
  /**
   * Waits for the workspace. Throws if the caller has no such workspace, the grant has none, or too
   * many calls wait.
   */
  enter(grant: Grant, signal: AbortSignal): Promise<void>;
  /** The run's files: the workspace's, replaced by the call's own. */
  filled(input: CallerInput): CallerInput;
  /** Returns limits of the files that the run may leave in it; `undefined` for a call without one. */
  bounds(): RunInput['persistent'];
  /** `undefined` for a call without one. */
  ended(outcome: Outcome, changes: readonly FileChange[] | undefined): Promise<CallEnd | undefined>;
  /** Releases the workspace. */
  leave(): Promise<void>;
}

/** The workspace that a call names. */
export function callWorkspace(
  { workspaces, sha256 }: Pick<ExecuteDeps, 'workspaces' | 'sha256'>,
  {
    workspace: id,
    workspaceOptional = false,
    actor,
  }: Pick<ExecuteRequest, 'workspace' | 'workspaceOptional' | 'actor'>,
): CallWorkspace {
  let lease: WorkspaceLease | undefined;
  let isUnused = false;
  let initialEntries: readonly WorkspaceEntry[] = [];
  if (id === undefined) return noWorkspace;
  return {
    async enter(grant, signal) {
      isUnused = workspaceOptional && !grant.capabilities.filesystem.write.includes('workspace');
      if (isUnused) return;
      requireWorkspace(grant);
      if (workspaces === undefined)
        throw new SkillError('WORKSPACE_NOT_FOUND', 'workspaces need a daemon; none is running here');
      lease = await workspaces.enter(actor, id, signal);
    },
    filled(input) {
      if (lease === undefined) return input;
      initialEntries = input.files ?? [];
      const own = new Set(initialEntries.map(({ path }) => path));
      const others = lease.entries().filter(({ path }) => !own.has(path));
      return { ...input, files: [...others, ...initialEntries] };
    },
    bounds: () => lease?.bounds(),
    async ended(outcome, changes) {
      if (isUnused) return undefined;
      if (lease === undefined)
        return { end: { id, stored: false, why: whyNotStored(outcome) }, commit: async () => undefined };
      const before = contentsDigest(lease.workspace(), sha256);
      const staged = await stagedOf(lease, outcome, initialEntries, changes);
      if (typeof staged === 'string')
        return {
          end: { id, stored: false, why: staged },
          recorded: { id, before, after: before },
          files: changes?.map(withoutLarge),
          commit: async () => undefined,
        };
      const { workspace, commit } = staged;
      const files = (changes ?? []).map((file) => fromStore(file, lease));
      const leftOut = leftOutOf(changes);
      const end = { id, stored: true as const, usedBytes: usedBytes(workspace) };
      const recorded = { id, before, after: contentsDigest(workspace, sha256) };
      return leftOut.length === 0
        ? { end, recorded, files, commit }
        : { end: { ...end, leftOut }, recorded: { ...recorded, leftOut }, files, commit };
    },
    async leave() {
      await lease?.release();
    },
  };
}

/** For a call that names none. */
const noWorkspace: CallWorkspace = {
  enter: async () => undefined,
  filled: (input) => input,
  bounds: () => undefined,
  ended: async () => undefined,
  leave: async () => undefined,
};

/** Checked before waiting: the call or the ceiling of its key may have left the workspace out. */
function requireWorkspace({ skill, capabilities: { filesystem } }: Grant): void {
  if (filesystem.write.includes('workspace')) return;
  const { read, write } = skill.run.capabilities.filesystem;
  if (!write.includes('workspace')) {
    const how = read.includes('workspace') ? 'requests only to read one' : 'requests no workspace';
    throw new SkillError(
      'INPUT_INVALID',
      `${skill.id} ${how}, so it cannot run in a workspace; request filesystem: { write: [workspace] } in its ambit.yaml`,
    );
  }
  throw new SkillError(
    'CAPABILITY_DENIED',
    `${skill.id} needs filesystem.write workspace, which is excluded by the call's capabilities or by its key's ceiling. Call it without "workspace", or without narrowing filesystem.write`,
  );
}

/** The change that the run made, or why it is not saved. */
async function stagedOf(
  lease: WorkspaceLease,
  outcome: Outcome,
  given: readonly WorkspaceEntry[],
  changes: readonly FileChange[] | undefined,
): Promise<StagedChange | string> {
  if (outcome.status !== 'succeeded') return whyNotStored(outcome);
  if (changes === undefined) return 'the files of the run could not be read back';
  const change = changeOf(given, changes);
  if (typeof change === 'string') return change;
  try {
    return await lease.stage(change);
  } catch (error) {
    if (error instanceof SkillError) return error.message;
    throw error;
  }
}

/** A file whose large content is read from the workspace, which has it. */
function fromStore(file: FileChange, lease: WorkspaceLease | undefined): FileChange {
  const { content } = file;
  if (content === null || content instanceof Uint8Array || lease === undefined) return file;
  return { ...file, content: lease.content({ sha256: content.sha256, bytes: content.length }) };
}

/** A file of a run that was not stored, without a large content, which goes with the run. */
function withoutLarge(file: FileChange): FileChange {
  if (file.content === null || file.content instanceof Uint8Array) return file;
  return {
    ...file,
    content: null,
    omitted: 'it is too large for a response, and the workspace is unchanged',
  };
}

function whyNotStored({ status }: Outcome): string {
  return `the run did not succeed: ${status}`;
}

function changeOf(
  given: readonly WorkspaceEntry[],
  changes: readonly FileChange[],
): WorkspaceChange | string {
  const put = new Map(given.map((entry) => [entry.path, entry]));
  const drop: string[] = [];
  const seen = new Set<string>();
  for (const { path, content, change, omitted, leftOut, redacted, link, folder, executable } of changes) {
    // A stored copy would be redacted, and would show a later run what of its text is a secret.
    if (redacted) return `${JSON.stringify(path)} contains a secret of the skill`;
    if (seen.has(path)) return `the run left two files whose names both read as ${JSON.stringify(path)}`;
    seen.add(path);
    if (change === 'deleted' || leftOut) {
      drop.push(path);
      put.delete(path);
    } else if (link !== undefined) put.set(path, { path, link });
    else if (folder) put.set(path, { path, folder });
    else if (content === null) return `${JSON.stringify(path)}: ${omitted ?? 'it could not be read'}`;
    else put.set(path, executable ? { path, content, executable } : { path, content });
  }
  return { put: [...put.values()], drop };
}

function leftOutOf(changes: readonly FileChange[] = []): LeftOut {
  const left = changes.filter(({ leftOut }) => leftOut).slice(0, leftOutMax);
  return left.map(({ path, omitted = '' }) => ({ path, why: omitted }));
}
