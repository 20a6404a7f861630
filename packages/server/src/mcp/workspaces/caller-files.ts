import { SkillError } from '@ambit/core';
import { type FileContent, type OwnWorkspaces, ownWorkspaces, type StoredFile } from '@ambit/core/workspace';
import type { McpCaller, McpDeps } from '../request/mcp-deps.ts';
import { editedBytesMax } from './edit-text.ts';

/** The workspaces of a caller. */
export function callerWorkspaces({ execute, workspaces }: McpDeps, { actor }: McpCaller): OwnWorkspaces {
  return ownWorkspaces(execute, workspaces, actor);
}

/** The location of a file. */
interface Place {
  id: string;
  path: string;
}

/** A file, whose bytes are read when they are needed. Throws like `OwnWorkspaces.read`. */
export function readFile(
  deps: McpDeps,
  caller: McpCaller,
  { id, path }: Place,
): Promise<{ file: StoredFile; content: FileContent }> {
  return callerWorkspaces(deps, caller).read(id, path);
}

/** Changes a file to the result of `make` for its bytes, which count as held memory meanwhile. */
export async function rewriteFile(
  deps: McpDeps,
  caller: McpCaller,
  { id, path }: Place,
  make: (content: FileContent) => Promise<Uint8Array>,
  signal: AbortSignal,
): Promise<StoredFile> {
  const own = callerWorkspaces(deps, caller);
  const bytes = (await own.get(id)).files.find((each) => each.path === path)?.bytes ?? 0;
  const release = deps.hold(caller.actor, Math.min(bytes, editedBytesMax));
  try {
    return await change(deps, signal, () => own.rewrite(id, path, make, signal));
  } finally {
    release();
  }
}

/**
 * Makes a change that shutdown waits for. A request that ends while it waits for the workspace
 * changes nothing.
 */
export async function change<T>(
  { running }: Pick<McpDeps, 'running'>,
  signal: AbortSignal,
  act: () => Promise<T>,
): Promise<T> {
  const changing = act().catch((error: unknown) => {
    if (!signal.aborted || error !== signal.reason) throw error;
    const message = 'the request ended while it waited for the workspace; nothing was changed';
    throw new SkillError('WORKSPACE_BUSY', message, { cause: error });
  });
  running.add(changing);
  try {
    return await changing;
  } finally {
    running.delete(changing);
  }
}
