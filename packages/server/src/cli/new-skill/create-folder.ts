import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isThere } from '@ambit/runtime';
import { CliError } from '../cli-error.ts';

/**
 * Creates a folder with these files atomically. Files below `scripts/` are executable.
 *
 * Throws `USAGE_INVALID` if the path exists or cannot be written.
 */
export async function createFolder(place: string, files: Readonly<Record<string, string>>): Promise<void> {
  if (await isThere(place)) {
    throw new CliError(
      'USAGE_INVALID',
      `${place} already exists; choose another name or --dir, or move it away`,
    );
  }
  let draft: string | undefined;
  try {
    await mkdir(dirname(place), { recursive: true });
    draft = await mkdtemp(join(dirname(place), '.new-'));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(draft, path)), { recursive: true });
      await writeFile(join(draft, path), text, { mode: path.startsWith('scripts/') ? 0o755 : 0o644 });
    }
    await chmod(draft, 0o755);
    await rename(draft, place);
  } catch (error) {
    if (draft !== undefined) await rm(draft, { recursive: true, force: true });
    throw new CliError('USAGE_INVALID', `cannot create ${place}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
