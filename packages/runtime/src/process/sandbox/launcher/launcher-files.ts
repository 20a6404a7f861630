import type { Architecture } from '../seccomp/syscalls.ts';
import { type UnnamedFile, unnamedFile } from '../unnamed-file.ts';
import { type LauncherTask, launcher } from './launcher.ts';

/** More than skills usually differ in their limits; callers can name any. */
const filesMax = 32;

/** Launchers as files, each kept for the next run with the same task. */
export function launcherFiles(architecture: Architecture): (task: LauncherTask) => UnnamedFile {
  const files = new Map<string, UnnamedFile>();
  return (task) => {
    const key = JSON.stringify(task);
    const file = files.get(key) ?? unnamedFile(launcher(architecture, task));
    // In the order of their last use.
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
