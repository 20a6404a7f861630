import { closeSync } from 'node:fs';
import type { BubblewrapSettings } from './bubblewrap-arguments.ts';
import type { UnnamedFile } from './unnamed-file.ts';

/** What one bubblewrap reads, beside its status and its start barrier. */
interface Wanted {
  filter: UnnamedFile;
  launcher: UnnamedFile;
  /** By path inside, like `contents`. */
  system: Readonly<Record<string, UnnamedFile>>;
  contents: Readonly<Record<string, UnnamedFile>>;
  /** Open already, and not closed here. */
  userNamespace: number | undefined;
}

/** The files of one bubblewrap, open. */
interface OpenFiles {
  files: readonly number[];
  /** Where it finds them, given the descriptor that the first one has there. */
  descriptors(first: number): Omit<BubblewrapSettings['descriptors'], 'status' | 'startBarrier'>;
  /** Once it has its own. */
  close(): void;
}

/** Paths inside, and the index of each one's file. */
type At = readonly (readonly [path: string, at: number])[];

/** Opens them all, or none: it throws where this process has no descriptor to spare. */
export function openFiles({ filter, launcher, system, contents, userNamespace }: Wanted): OpenFiles {
  const opened: number[] = [];
  const close = (): void => {
    for (const descriptor of opened.splice(0)) closeSync(descriptor);
  };
  const open = (file: UnnamedFile): number => opened.push(file.open()) - 1;
  try {
    const filterAt = open(filter);
    const launcherAt = open(launcher);
    const openAll = (files: Wanted['contents']): At =>
      Object.entries(files).map(([path, file]) => [path, open(file)]);
    const [systemAt, contentsAt] = [openAll(system), openAll(contents)];
    const files = userNamespace === undefined ? [...opened] : [...opened, userNamespace];
    return {
      files,
      descriptors(first) {
        return {
          filter: first + filterAt,
          launcher: first + launcherAt,
          system: from(first, systemAt),
          contents: from(first, contentsAt),
          userNamespace: userNamespace === undefined ? undefined : first + files.length - 1,
        };
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function from(first: number, files: At): Record<string, number> {
  return Object.fromEntries(files.map(([path, at]) => [path, first + at]));
}
