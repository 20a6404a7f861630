import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Records trust in a temporary folder for the test run instead of the user's folder. */
export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-trusted-'));
  process.env['XDG_DATA_HOME'] = folder;
  return () => rm(folder, { recursive: true, force: true });
}
