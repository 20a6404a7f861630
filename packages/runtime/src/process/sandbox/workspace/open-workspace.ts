import { closeSync, constants, openSync } from 'node:fs';
import type { FileChange, WorkspaceFile } from '@ambit/core/internal';
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

/** Opens the workspace of a sandbox whose walls stand, by its place as it is seen from outside. */
export function openWorkspace(place: string): OpenWorkspace {
  return opened(openSync(place, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW));
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
