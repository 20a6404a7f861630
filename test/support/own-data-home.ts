import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the tests trust is recorded in a folder of their own, which is gone when they are over: not in their user's. */
export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-trusted-'));
  process.env['XDG_DATA_HOME'] = folder;
  return () => rm(folder, { recursive: true, force: true });
}
