import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isThere, readOrdinaryFile } from '@ambit/runtime';
import { tarSource } from '../source/tar-source.ts';
import { type Room, unpackFiles } from './unpack-files.ts';

/**
 * Unpacks a tarball of npm into the folder of its package, without its first folder, which is usually named `package`. Nothing
 * runs. Resolves to whether the package has an install script. Rejects with an `InstallError`.
 */
export async function unpackTarball(file: string, into: string, room: Room): Promise<boolean> {
  // So that files of two packages for this place do not mix.
  await rm(into, { recursive: true, force: true });
  await mkdir(into, { recursive: true });
  await unpackFiles(tarSource(file, 'gzip'), `the tarball ${basename(file)}`, into, room, {
    placeOf: (path) => /^[^/]+\/(.+)$/.exec(path)?.[1],
    keepsExecutable: true,
  });
  return hasInstallScript(into);
}

/** As npm decides it: these scripts, or a `binding.gyp` that it would build. */
async function hasInstallScript(folder: string): Promise<boolean> {
  const bytes = await readOrdinaryFile(join(folder, 'package.json')).catch(() => undefined);
  let content: { scripts?: Record<string, unknown> | null; gypfile?: unknown } | null = null;
  try {
    content = JSON.parse(bytes?.toString() ?? 'null');
  } catch {
    // Node does not load it either.
  }
  const scripts = content?.scripts ?? {};
  if (['preinstall', 'install', 'postinstall'].some((name) => typeof scripts[name] === 'string')) return true;
  return content?.gypfile !== false && (await isThere(join(folder, 'binding.gyp')));
}
