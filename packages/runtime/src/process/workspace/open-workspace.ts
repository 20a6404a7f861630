import { closeSync, constants, openSync, rmdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { FileChange, WorkspaceFile } from '@ambit/core';
import { readyMark } from '../bubblewrap-arguments.ts';
import { putFiles } from './put-files.ts';
import { takeFiles } from './take-files.ts';

/** The workspace of one run, held open by this process: it outlives the sandbox that it was made in. */
export interface OpenWorkspace {
  /** What the run has left different. Only once nothing of the run lives any more. */
  changes(): FileChange[];
  close(): void;
}

/**
 * Waits until the walls of a sandbox stand, opens its workspace from outside and puts the caller's files into it. The
 * sandbox waits at its gate meanwhile; `pid` is its first process.
 *
 * The way in is the process's own root in `/proc`, which needs no rights that the one who started it does not have. A
 * folder that bubblewrap makes last, in the workspace, tells that the root is the sandbox's and no longer the host's.
 *
 * Resolves to `undefined` when the sandbox ended before that; `signal` tells.
 */
export async function openWorkspace(
  pid: number,
  { path, files }: { path: string; files: readonly WorkspaceFile[] },
  signal: AbortSignal,
): Promise<OpenWorkspace | undefined> {
  const inside = `/proc/${pid}/root`;
  while (!signal.aborted) {
    const folder = openReady(`${inside}${path}`, `${inside}${readyMark(path)}`);
    if (folder !== undefined) return filled(folder, files);
    await delay(1);
  }
  return undefined;
}

function openReady(folder: string, mark: string): number | undefined {
  try {
    rmdirSync(mark);
    return openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
}

function filled(folder: number, files: readonly WorkspaceFile[]): OpenWorkspace {
  const root = `/proc/self/fd/${folder}`;
  try {
    putFiles(root, files);
  } catch (error) {
    closeSync(folder);
    throw error;
  }
  return { changes: () => takeFiles(root, files), close: () => closeSync(folder) };
}
