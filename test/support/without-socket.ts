import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

/** An `XDG_RUNTIME_DIR` for a test. It is removed when the test ends. */
export async function runtimeDir(): Promise<string> {
  const folder = await temporaryFolder();
  await chmod(folder, 0o700);
  return folder;
}

/** The environment of a daemon that cannot make its private socket, so that commands call it at its address with a key. */
export async function withoutSocket(): Promise<Record<string, string>> {
  const folder = await runtimeDir();
  await writeFile(join(folder, 'ambit'), '');
  return { XDG_RUNTIME_DIR: folder };
}
