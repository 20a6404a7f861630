import { SkillError } from '@ambit/core';
import { type OwnWorkspaces, ownWorkspaces, type StoredFile } from '@ambit/core/internal';
import type { McpCaller, McpDeps } from '../request/mcp-deps.ts';

/** The workspaces of a caller. */
export function callerWorkspaces({ execute, workspaces }: McpDeps, { actor }: McpCaller): OwnWorkspaces {
  return ownWorkspaces(execute, workspaces, actor);
}

/** The location of a file. */
interface Place {
  id: string;
  path: string;
}

/**
 * Reads a file. Its bytes count as held memory until `use` returns. Throws like
 * `OwnWorkspaces.read`.
 */
export async function readFile<T>(
  deps: McpDeps,
  caller: McpCaller,
  place: Place,
  use: (file: StoredFile, content: Uint8Array) => T,
): Promise<T> {
  return whileHeld(deps, caller, place, async (own) => {
    const { file, content } = await own.read(place.id, place.path);
    return use(file, content);
  });
}

/** Changes a file to the result of `make` for its bytes, which count as held memory meanwhile. */
export async function rewriteFile(
  deps: McpDeps,
  caller: McpCaller,
  place: Place,
  make: (content: Uint8Array) => Promise<Uint8Array>,
  signal: AbortSignal,
): Promise<StoredFile> {
  return whileHeld(deps, caller, place, (own) =>
    change(deps, signal, () => own.rewrite(place.id, place.path, make, signal)),
  );
}

async function whileHeld<T>(
  deps: McpDeps,
  caller: McpCaller,
  { id, path }: Place,
  act: (own: OwnWorkspaces) => Promise<T>,
): Promise<T> {
  const own = callerWorkspaces(deps, caller);
  const bytes = (await own.get(id)).files.find((each) => each.path === path)?.bytes ?? 0;
  const release = deps.hold(caller.actor, bytes);
  try {
    return await act(own);
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
