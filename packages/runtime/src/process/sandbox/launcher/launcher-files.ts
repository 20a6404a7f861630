import { type UnnamedFile, unnamedFile } from '../../spawn/unnamed-file.ts';
import type { Architecture } from '../seccomp/syscalls.ts';
import { type LauncherTask, launcher } from './launcher.ts';

/** Skills have few distinct limits, but callers can choose any. */
const filesMax = 32;

/** Launcher files, cached by task; the least recently used is dropped. */
export function launcherFiles(architecture: Architecture): (task: LauncherTask) => UnnamedFile {
  const files = new Map<string, UnnamedFile>();
  return (task) => {
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
}
