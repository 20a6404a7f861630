import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { isHiddenPath, liesWithin } from '@ambit/core/internal';
import { ImportError } from '../skill/imported.ts';
import { whyOutside } from './inner-path.ts';
import { readText } from './read-text.ts';
import { type ReadFile, type Source, sourceBounds } from './source.ts';

/**
 * The manifest at `place`, or in the folder `place` under the first of `names` that is there. Rejects with an `ImportError`
 * when there is none, or it cannot be read.
 */
export async function localSource(place: string, names: readonly string[]): Promise<Source> {
  const path = await manifestPath(place, names);
  const manifest = await readText(path, sourceBounds.manifestBytes).catch((error: unknown) => {
    throw error instanceof ImportError
      ? new ImportError(`${path} ${error.message}`, { cause: error })
      : error;
  });
  return { manifest, readFile: fileReader(dirname(path)) };
}

/** Reads files below `root` that somebody else names: none that leads out, by its path or by a link, and none that is hidden. */
export function fileReader(root: string): ReadFile {
  let bytes = 0;
  return async (path) => {
    const outside = whyOutside(path);
    if (outside !== undefined) throw new ImportError(outside);
    const real = await realpath(join(root, path)).catch(() => join(root, path));
    if (!liesWithin(real, root))
      throw new ImportError('is a link that leads out of the folder of its manifest');
    // Not `.git/config` with the operator's token in it. Where other systems keep skills is no secret.
    if (isHiddenPath(relative(root, real).replace(skillPlaces, '')))
      throw new ImportError('is hidden, and hidden files are not part of a skill');
    const text = await readText(real, sourceBounds.fileBytes);
    bytes += text.length;
    if (bytes > sourceBounds.bytes)
      throw new ImportError(`is beyond the ${sourceBounds.bytes} bytes that are read in all`);
    return text;
  };
}

/** The folders of other systems that hold skills and no settings: `.cursor/mcp.json` and `.claude/settings.local.json` have tokens. */
const skillPlaces = /^\.(claude|agents|cursor)\/(agents|commands|rules|skills)\//;

async function manifestPath(place: string, names: readonly string[]): Promise<string> {
  const found = await realpath(place).catch(() => {
    throw new ImportError(`there is nothing at ${place}`);
  });
  if (!(await stat(found)).isDirectory()) return found;
  for (const name of names) {
    const path = await realpath(join(found, name)).catch(() => undefined);
    // A link in the folder is the folder's word, not the operator's.
    if (path !== undefined && basename(path) === basename(name) && liesWithin(path, found)) return path;
  }
  throw new ImportError(`there is no ${names.join(' and no ')} in ${place}`);
}
