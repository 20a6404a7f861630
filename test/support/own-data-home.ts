import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endDaemons } from './on-demand-daemons.ts';
import { homeVariable } from './private-home.ts';

/**
 * Records trust, and has the user's own configuration and data, in a temporary folder for the test run instead of the user's
 * folders. Programs that tests start have an empty home in it: in a shared folder such as /tmp, another user could leave settings
 * for them. Daemons that commands have left are ended at the end.
 */
export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-trusted-'));
  process.env['XDG_DATA_HOME'] = folder;
  process.env['XDG_CONFIG_HOME'] = join(folder, 'config');
  // Skills that may write around it are refused while it does not exist.
  await mkdir(join(folder, 'config/ambit'), { recursive: true });
  process.env[homeVariable] = join(folder, 'home');
  // Of this user's alone, as an XDG_RUNTIME_DIR has to be.
  await mkdir(join(folder, 'home'), { mode: 0o700 });
  return async () => {
    await endDaemons({ home: join(folder, 'home') });
    await rm(folder, { recursive: true, force: true });
  };
}
