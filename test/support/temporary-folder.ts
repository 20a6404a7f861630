import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { commands, endDaemons } from './on-demand-daemons.ts';

/**
 * A folder with these files, by its real path. When the test ends, or `atEnd`, daemons that commands have started in it are
 * ended, and it is removed: with `afterAll`, the tests of a file share it.
 */
export async function temporaryFolder(
  files: Readonly<Record<string, string>> = {},
  atEnd: (remove: () => Promise<void>) => void = onTestFinished,
): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'ambit-test-')));
  atEnd(async () => {
    if (commands.haveRun) await endDaemons({ folder });
    await rm(folder, { recursive: true, force: true });
  });
  await writeFiles(folder, files);
  return folder;
}

/** Writes files below a folder, by path. */
export async function writeFiles(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}
