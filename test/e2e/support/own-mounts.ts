import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../../support/daemon-process.ts';

const namespaces = ['--mount', '--pid', '--fork', '--mount-proc'];

/** Whether this user may create mount namespaces. */
export const canUnshare = spawnSync('unshare', [...namespaces, 'true']).status === 0;

/** Runs a command in its own mount and process namespaces, after the shell line `prepare` has changed the mounts. */
export async function ambitWith(prepare: string, args: readonly string[], cwd: string) {
  const command = [process.execPath, join(repository, 'packages/cli/src/ambit.mjs'), ...args];
  const inside = [...namespaces, 'sh', '-c', `${prepare} && exec "$@"`, 'sh'];
  const ended = promisify(execFile)('unshare', [...inside, ...command], { cwd }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  const { code, stdout, stderr } = await ended;
  return { code, printed: stdout, said: stderr };
}
