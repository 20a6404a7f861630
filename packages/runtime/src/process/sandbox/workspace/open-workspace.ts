import { closeSync, constants, openSync } from 'node:fs';
import type { FileChange, WorkspaceEntry } from '@ambit/core/internal';
import { putFiles } from './put-files.ts';
import { takeFiles } from './take-files.ts';

/** The workspace of one run. This process holds it open, so it outlives the sandbox. */
export interface OpenWorkspace {
  /** Writes the caller's files, with which `changes` compares. */
  put(files: readonly WorkspaceEntry[]): void;
  /** The run's changes; only when no process of it is left. */
  changes(): Promise<FileChange[]>;
  close(): void;
}

/** Opens the workspace of a sandbox that is set up, by its path from outside. */
export function openWorkspace(place: string): OpenWorkspace {
  return opened(openSync(place, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW));
}

function opened(folder: number): OpenWorkspace {
  const root = `/proc/self/fd/${folder}`;
  let given: readonly WorkspaceEntry[] = [];
  return {
    put(files) {
      given = files;
      putFiles(root, files);
    },
    changes: () => takeFiles(root, given),
    close: () => closeSync(folder),
  };
}
