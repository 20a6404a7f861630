import { type UnnamedFile, unnamedFile } from '../../../spawn/unnamed-file.ts';
import type { Architecture } from '../seccomp/syscalls.ts';
import { type LauncherTask, launcher } from './launcher.ts';

/** Skills have few distinct limits, but callers can choose any. */
const filesMax = 32;

/** Launcher files, cached by task; the least recently used is dropped. `close` frees the others. */
export function launcherFiles(architecture: Architecture): {
  launcherFor(task: LauncherTask): UnnamedFile;
  close(): void;
} {
  const files = new Map<string, UnnamedFile>();
  const launcherFor = (task: LauncherTask): UnnamedFile => {
    const key = JSON.stringify(task);
    const file = files.get(key) ?? unnamedFile(launcher(architecture, task));
    // Moves it to the end: the map is in order of last use.
    files.delete(key);
    files.set(key, file);
    const [oldest] = files;
    if (files.size > filesMax && oldest !== undefined) {
      files.delete(oldest[0]);
      oldest[1].close();
    }
    return file;
  };
  return {
    launcherFor,
    close() {
      for (const file of files.values()) file.close();
      files.clear();
    },
  };
}
