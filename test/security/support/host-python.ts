import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs Python on the host, outside every sandbox, for comparison. Returns its output. */
export async function hostPython(script: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-I', '-c', script, ...args]);
  return stdout.trim();
}

/** Makes named pipes that all users can open. */
export async function makePipes(...paths: readonly string[]): Promise<void> {
  await hostPython('import os, sys\nos.umask(0)\nfor path in sys.argv[1:]: os.mkfifo(path, 0o666)', ...paths);
}
