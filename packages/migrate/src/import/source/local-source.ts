import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { UsageError } from '@ambit/core/outcome';
import { liesWithin } from '@ambit/core/policy';
import { isHiddenPath } from '@ambit/core/skill';
import { whyOutside } from './inner-path.ts';
import { readText } from './read-text.ts';
import { type ReadFile, type Source, sourceBounds } from './source.ts';

/**
 * The manifest at `place`, or the first of `names` that exists in the folder `place`, and its path. Rejects with an
 * `UsageError` if there is none or it cannot be read.
 */
export async function localSource(
  place: string,
  names: readonly string[],
): Promise<Source & { path: string }> {
  const path = await manifestPath(place, names);
  return { path, manifest: await manifestText(path), readFile: fileReader(dirname(path)) };
}

/** The text of a manifest. Rejects with a `UsageError` that names it if it cannot be read. */
export async function manifestText(path: string): Promise<string> {
  return readText(path, sourceBounds.manifestBytes).catch((error: unknown) => {
    throw error instanceof UsageError ? new UsageError(`${path} ${error.message}`, { cause: error }) : error;
  });
}

/** Reads files below `root` by untrusted paths. Refuses paths and links out of `root`, and hidden files. */
export function fileReader(root: string): ReadFile {
  let bytes = 0;
  return async (path) => {
    const outside = whyOutside(path);
    if (outside !== undefined) throw new UsageError(outside);
    const real = await realpath(join(root, path)).catch(() => join(root, path));
    if (!liesWithin(real, root)) throw new UsageError("is a link out of the manifest's folder");
    // Refuses `.git/config`, which can contain a token. Skill folders of other systems hold no secrets.
    if (isHiddenPath(relative(root, real).replace(skillPlaces, '')))
      throw new UsageError('is hidden; hidden files are not imported');
    const text = await readText(real, sourceBounds.fileBytes);
    bytes += text.length;
    if (bytes > sourceBounds.bytes)
      throw new UsageError(`exceeds the limit of ${sourceBounds.bytes} bytes for all files`);
    return text;
  };
}

/** Folders of other systems that hold skills, not settings: `.cursor/mcp.json` and `.claude/settings.local.json` contain tokens. */
const skillPlaces = /^\.(claude|agents|cursor)\/(agents|commands|rules|skills)\//;

async function manifestPath(place: string, names: readonly string[]): Promise<string> {
  const found = await realpath(place).catch(() => {
    throw new UsageError(`${place} does not exist`);
  });
  if (!(await stat(found)).isDirectory()) return found;
  for (const name of names) {
    const path = await placeIn(found, name);
    if (path !== undefined) return path;
  }
  throw new UsageError(`${place} contains no ${names.join(' or ')}`);
}

/** The real path of `name` in a folder, itself a real path; `undefined` if nothing has this name. */
export async function placeIn(folder: string, name: string): Promise<string | undefined> {
  const path = await realpath(join(folder, name)).catch(() => undefined);
  // The operator named the folder, not the target of a link in it.
  return path !== undefined && basename(path) === basename(name) && liesWithin(path, folder)
    ? path
    : undefined;
}
