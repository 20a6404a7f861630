import { type AmbitClient, AmbitProblem } from '@ambit/client';
import { UsageError } from '@ambit/core/outcome';
import type { Config } from '@ambit/server/config';
import type { ArchiveEntry } from '@ambit/server/wire';
import type { CommandContext } from '../../command/define-command.ts';
import { fileParts, sendEntries } from '../../command/workspace-transfer.ts';
import { daemonError } from '../../output/daemon-error.ts';
import type { Call, TypedCall } from './call-of.ts';

/** The workspace of a call. */
export interface CallPlace {
  /** A file of it in parts. */
  read(path: string, bytes: number): AsyncIterable<Uint8Array>;
  /** Whether it is deleted when the call has ended. */
  isTemporary: boolean;
}

interface InWorkspaceOptions {
  config: Pick<Config, 'daemon' | 'workspaces'>;
  signal: AbortSignal;
  /** Called if a temporary workspace could not be deleted. */
  onLeft(message: string): void;
}

/**
 * Makes a call where its files have room: `act` gets the call to make. Files that are more than a request holds are copied into
 * the workspace of the call before it. Without one of its own, such a call gets a temporary workspace, which is deleted when `act`
 * has ended, however it does. So does a call whose files are saved, because they may be more than an answer holds; a skill
 * without a workspace then runs without it.
 */
export async function inWorkspace<Result>(
  context: Pick<CommandContext, 'daemon'>,
  { workspaces }: Pick<AmbitClient, 'workspaces'>,
  { call, upload }: TypedCall,
  options: InWorkspaceOptions,
  act: (call: Call, place: CallPlace | undefined) => Promise<Result>,
): Promise<Result> {
  const { signal } = options;
  const isSaved = call.fileContents === true;
  const placeIn = (id: string, isTemporary: boolean): CallPlace => ({
    read: (path, bytes) => fileParts(workspaces, id, path, { bytes, signal }),
    isTemporary,
  });
  if (call.workspace !== undefined) {
    if (upload !== undefined) await sendEntries(workspaces, call.workspace, upload, signal);
    return act(call, upload !== undefined || isSaved ? placeIn(call.workspace, false) : undefined);
  }
  if (upload === undefined && (!isSaved || hasNone(options.config))) return act(call, undefined);
  const id = await created(workspaces, options, upload);
  if (id === undefined) return act(call, undefined);
  try {
    signal.throwIfAborted();
    if (upload !== undefined) await sendEntries(workspaces, id, upload, signal).catch(rethrown);
    const placed = { ...call, workspace: id, workspaceOptional: upload === undefined, fileContents: true };
    return await act(placed, placeIn(id, true));
  } finally {
    // Also after an interrupt.
    await workspaces.remove(id).catch((error: unknown) => {
      const { message } = daemonError(error, context.daemon) as Error;
      options.onLeft(
        `The temporary workspace ${id} was not deleted: ${message}. It expires when it has not been used for a while.`,
      );
    });
  }
}

/** Whether the configuration turns workspaces off. */
function hasNone({ daemon, workspaces }: InWorkspaceOptions['config']): boolean {
  return daemon?.url === undefined && workspaces.maxPerKey === 0;
}

/** The codes of a store that has no room for a workspace. */
const withoutRoom: ReadonlySet<string> = new Set(['WORKSPACE_LIMIT', 'STORE_UNAVAILABLE']);

/** A new temporary workspace. `undefined`: there is none, and the call needs none. */
async function created(
  workspaces: AmbitClient['workspaces'],
  { config, signal }: InWorkspaceOptions,
  upload: readonly ArchiveEntry[] | undefined,
): Promise<string | undefined> {
  const quotaBytes = quotaFor(config, upload ?? []);
  signal.throwIfAborted();
  try {
    // Without the signal: an interrupt must not lose the id of a workspace that exists.
    const made = await workspaces.create({ label: 'ambit run', quotaBytes });
    return made.id;
  } catch (error) {
    const isNeeded = upload !== undefined || !(error instanceof AmbitProblem) || !withoutRoom.has(error.code);
    if (isNeeded) throw error;
    return undefined;
  }
}

const gibibyte = 1024 ** 3;

/**
 * The most that the configuration allows, because no one knows what a run leaves. The settings of a daemon elsewhere are
 * unknown: `undefined` is its default. Throws `USAGE_INVALID` if the files are more than any workspace holds.
 */
function quotaFor(
  { daemon, workspaces }: InWorkspaceOptions['config'],
  upload: readonly ArchiveEntry[],
): number | undefined {
  const bytes = upload.reduce((sum, entry) => sum + ('parts' in entry ? entry.bytes : 0), 0);
  if (daemon?.url !== undefined) return upload.length === 0 ? undefined : bytes + gibibyte / 4;
  const { maxQuotaBytes, maxFiles } = workspaces;
  if (bytes > maxQuotaBytes) throw tooMuch(`${bytes} bytes`, maxQuotaBytes, 'workspaces.maxQuotaBytes');
  if (upload.length > maxFiles) throw tooMuch(`${upload.length} entries`, maxFiles, 'workspaces.maxFiles');
  return maxQuotaBytes;
}

function tooMuch(what: string, limit: number, setting: string): UsageError {
  return new UsageError(
    `the files of --file have ${what}, and the limit is ${limit}, set by ${setting}. Raise it, or name fewer files`,
  );
}

/** The error, in whose message a temporary workspace is none that a person could make larger. */
function rethrown(error: unknown): never {
  if (!(error instanceof AmbitProblem) || error.code !== 'WORKSPACE_FULL') throw error;
  throw new AmbitProblem({ ...error.problem, detail: inTemporaryTerms(error.message) });
}

/** Rewords why a temporary workspace cannot hold something, with the setting that allows more. */
export function inTemporaryTerms(why: string): string {
  return why.replace(
    /(?:\. (?:Delete files, or c|C)reate a workspace with a larger quota|(?<=bytes for all files))$/,
    '. To allow more, raise workspaces.maxQuotaBytes',
  );
}
