import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { InstallError } from '../install-error.ts';
import { safePath } from '../source/safe-path.ts';
import { zipSource } from '../source/zip-source.ts';
import { nameFlaw } from '../stage/checked-files.ts';

/** How much may still be written. */
export interface Room {
  files: number;
  bytes: number;
}

/** What the packages of one skill may have together. */
export const environmentBounds: Room = { files: 50_000, bytes: 1024 * 1024 * 1024 };

/**
 * Unpacks a wheel into a folder of modules. Its programs, headers and data are left out. Nothing runs. Every entry is checked
 * before a file is written. Rejects with an `InstallError`.
 */
export async function unpackWheel(file: string, into: string, room: Room): Promise<void> {
  const source = zipSource(file);
  const places = new Map<number, { path: string; bytes: number }>();
  let place = 0;
  for await (const { path: written, kind, bytes } of source.entries()) {
    const path = modulePath(safePath(written));
    const flaw = nameFlaw(safePath(written));
    if (flaw !== undefined)
      throw new InstallError(
        'SOURCE_UNSAFE_PATH',
        `the wheel ${basename(file)} has ${JSON.stringify(written.slice(0, 200))}, whose name ${flaw}; it is refused`,
      );
    if (kind !== 'file' && kind !== 'folder')
      throw new InstallError(
        'SOURCE_UNSAFE_PATH',
        `the wheel ${basename(file)} has ${JSON.stringify(written.slice(0, 200))}, which is a link or a special file; it is refused`,
      );
    if (kind === 'file' && path !== undefined) {
      room.files -= 1;
      room.bytes -= bytes;
      if (room.files < 0 || room.bytes < 0)
        throw new InstallError(
          'SOURCE_TOO_LARGE',
          `the packages have more than ${environmentBounds.files} files or ${environmentBounds.bytes} bytes together`,
        );
      places.set(place, { path, bytes });
    }
    place += 1;
  }
  place = 0;
  for await (const entry of source.entries((at) => places.has(at))) {
    const found = places.get(place);
    place += 1;
    if (found === undefined) continue;
    const to = join(into, found.path);
    await mkdir(dirname(to), { recursive: true });
    // Two packages may have the same file: the later one stays, as with pip.
    await rm(to, { force: true });
    await writeFile(to, await entry.read(), { flag: 'wx', mode: 0o444 });
  }
}

/** Where an entry belongs among the modules; `undefined`: nowhere. See "The .data directory" in PEP 427. */
function modulePath(path: string): string | undefined {
  const [, part, rest] = /^[^/]+\.data\/([^/]+)\/(.+)$/.exec(path) ?? [];
  if (part === undefined) return /^[^/]+\.data(?:\/|$)/.test(path) ? undefined : path;
  return part === 'purelib' || part === 'platlib' ? rest : undefined;
}
