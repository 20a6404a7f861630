import { chmodSync, closeSync, constants, openSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type LeftFile, readLeftFile } from './read-left-file.ts';

/** The state file of one run. This process holds its folder open, so it outlives the sandbox. */
export interface OpenStateFile {
  /** Writes the file; only before the program runs. */
  put(bytes: Uint8Array): void;
  /** Reads the final file; only when no process of the run is left. */
  take(bytesMax: number): Promise<LeftFile>;
  close(): void;
}

/**
 * Opens the folder of the state file in a sandbox that is set up. `place` is the file's path from
 * outside.
 */
export function openStateFile(place: string): OpenStateFile {
  const folder = openSync(dirname(place), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const file = `/proc/self/fd/${folder}/${basename(place)}`;
  return {
    put(bytes) {
      writeFileSync(file, bytes, { flag: 'wx' });
      // The skill may run as another user, and the umask would apply to the mode of
      // `writeFileSync`.
      chmodSync(file, 0o666);
    },
    take: (bytesMax) => readLeftFile(file, bytesMax),
    close: () => closeSync(folder),
  };
}
