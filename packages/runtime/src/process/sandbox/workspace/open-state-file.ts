import { chmodSync, closeSync, constants, openSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type LeftFile, readLeftFile } from './read-left-file.ts';

/** The state file of one run. Its folder is held open by this process: it outlives the sandbox that it was made in. */
export interface OpenStateFile {
  /** Writes it, before anything runs. */
  put(bytes: Uint8Array): void;
  /** As the run has left it. Only once nothing of the run lives any more. */
  take(bytesMax: number): Promise<LeftFile>;
  close(): void;
}

/** Opens the folder of the state file of a sandbox whose walls stand. `place` is where the file goes, as seen from outside. */
export function openStateFile(place: string): OpenStateFile {
  const folder = openSync(dirname(place), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const file = `/proc/self/fd/${folder}/${basename(place)}`;
  return {
    put(bytes) {
      writeFileSync(file, bytes, { flag: 'wx' });
      // The sandbox may be another user than this process, and the umask has no say here.
      chmodSync(file, 0o666);
    },
    take: (bytesMax) => readLeftFile(file, bytesMax),
    close: () => closeSync(folder),
  };
}
