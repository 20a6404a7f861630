import { closeSync } from 'node:fs';
import type { UnnamedFile } from '../../../spawn/unnamed-file.ts';
import type { BubblewrapSettings } from './bubblewrap-arguments.ts';

/** The files that one bubblewrap reads, besides its status and start barrier. */
interface BubblewrapFiles {
  filter: UnnamedFile;
  launcher: UnnamedFile;
  /** By path inside, like `contents`. */
  system: Readonly<Record<string, UnnamedFile>>;
  contents: Readonly<Record<string, UnnamedFile>>;
  /** Already open, and not closed here. */
  userNamespace: number | undefined;
}

interface OpenFiles {
  files: readonly number[];
  /** Their numbers in bubblewrap, where the first file has the number `first`. */
  descriptors(first: number): Omit<BubblewrapSettings['descriptors'], 'status'>;
  /** Call when bubblewrap has inherited them. */
  close(): void;
}

/** Paths inside, with the index of each file. */
type FileIndex = readonly (readonly [path: string, at: number])[];

/** Opens all of them or none. Throws if this process has no free descriptor. */
export function openFiles({ filter, launcher, system, contents, userNamespace }: BubblewrapFiles): OpenFiles {
  const opened: number[] = [];
  const close = (): void => {
    for (const descriptor of opened.splice(0)) closeSync(descriptor);
  };
  const open = (file: UnnamedFile): number => opened.push(file.open()) - 1;
  try {
    const filterAt = open(filter);
    const launcherAt = open(launcher);
    const openAll = (files: BubblewrapFiles['contents']): FileIndex =>
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

function from(first: number, files: FileIndex): Record<string, number> {
  return Object.fromEntries(files.map(([path, at]) => [path, first + at]));
}
