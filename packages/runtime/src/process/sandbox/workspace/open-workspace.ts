import { closeSync, constants, openSync, rmdirSync } from 'node:fs';
import type { FileChange, WorkspaceFile } from '@ambit/core';
import { readyMark } from '../bubblewrap-arguments.ts';
import { until } from '../until.ts';
import { putFiles } from './put-files.ts';
import { takeFiles } from './take-files.ts';

/** The workspace of one run, held open by this process: it outlives the sandbox that it was made in. */
export interface OpenWorkspace {
  /** Puts the caller's files into it. They are what `changes` compares with. */
  put(files: readonly WorkspaceFile[]): void;
  /** What the run has left different. Only once nothing of the run lives any more. */
  changes(): Promise<FileChange[]>;
  close(): void;
}

/**
 * Waits until the walls of a sandbox stand, and opens its workspace from outside. The sandbox waits at its gate
 * meanwhile; `pid` is its first process.
 *
 * The way in is the process's own root in `/proc`, which needs no rights that the one who started it does not have. A
 * folder that bubblewrap makes last, in the workspace, tells that the root is the sandbox's and no longer the host's.
 *
 * Resolves to `undefined` when the sandbox ended before that; `signal` tells.
 */
export async function openWorkspace(
  pid: number,
  path: string,
  signal: AbortSignal,
): Promise<OpenWorkspace | undefined> {
  const inside = `/proc/${pid}/root`;
  let folder: number | undefined;
  await until(() => {
    if (!signal.aborted) folder ??= openReady(`${inside}${path}`, `${inside}${readyMark(path)}`);
    return signal.aborted || folder !== undefined;
  });
  return folder === undefined ? undefined : opened(folder);
}

function openReady(folder: string, mark: string): number | undefined {
  try {
    rmdirSync(mark);
    return openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
}

function opened(folder: number): OpenWorkspace {
  const root = `/proc/self/fd/${folder}`;
  let given: readonly WorkspaceFile[] = [];
  return {
    put(files) {
      given = files;
      putFiles(root, files);
    },
    changes: () => takeFiles(root, given),
    close: () => closeSync(folder),
  };
}
