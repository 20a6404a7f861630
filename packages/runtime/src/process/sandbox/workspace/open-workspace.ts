import { closeSync, constants, openSync } from 'node:fs';
import type { FileChange, WorkspaceEntry } from '@ambit/core/workspace';
import { putFiles } from './put-files.ts';
import { type TakeBounds, takeFiles } from './take-files.ts';

/** The workspace of one run. This process holds it open, so it outlives the sandbox. */
export interface OpenWorkspace {
  /** Writes the caller's files, with which `changes` compares. Stops early once `isEnded`. */
  put(files: readonly WorkspaceEntry[], isEnded: () => boolean): Promise<void>;
  /** The run's changes; only when no process of it is left. Large contents are read when they are needed, until `close`. */
  changes(bounds?: TakeBounds): Promise<FileChange[]>;
  /** Frees it once nothing reads or writes it any more. */
  close(): void;
}

/** Opens the workspace of a sandbox that is set up, by its path from outside. */
export function openWorkspace(place: string): OpenWorkspace {
  return opened(openSync(place, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW));
}

function opened(folder: number): OpenWorkspace {
  const root = `/proc/self/fd/${folder}`;
  let initialEntries: readonly WorkspaceEntry[] = [];
  let isOver = false;
  // The number of a closed descriptor is soon another file's, so it is closed only when nothing uses it.
  let using: Promise<unknown> = Promise.resolve();
  const use = <T>(act: () => Promise<T>): Promise<T> => {
    const used = act();
    using = Promise.allSettled([using, used]);
    return used;
  };
  return {
    put(files, isEnded) {
      initialEntries = files;
      return use(() => putFiles(root, files, () => isOver || isEnded()));
    },
    changes: (bounds) => use(() => takeFiles(root, initialEntries, bounds, () => isOver)),
    close() {
      if (isOver) return;
      isOver = true;
      void using.then(() => closeSync(folder));
    },
  };
}
