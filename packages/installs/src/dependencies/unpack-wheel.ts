import { basename } from 'node:path';
import { zipSource } from '../source/zip-source.ts';
import { type Room, unpackFiles } from './unpack-files.ts';

/**
 * Unpacks a wheel into a folder of modules. Its programs, headers and data are left out. Nothing runs. Rejects with an
 * `InstallError`.
 */
export async function unpackWheel(file: string, into: string, room: Room): Promise<void> {
  await unpackFiles(zipSource(file), `the wheel ${basename(file)}`, into, room, { placeOf: modulePath });
}

/** Returns the place of an entry among the modules; `undefined`: it has none. See "The .data directory" in PEP 427. */
function modulePath(path: string): string | undefined {
  const [, part, rest] = /^[^/]+\.data\/([^/]+)\/(.+)$/.exec(path) ?? [];
  if (part === undefined) return /^[^/]+\.data(?:\/|$)/.test(path) ? undefined : path;
  return part === 'purelib' || part === 'platlib' ? rest : undefined;
}
