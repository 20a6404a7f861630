import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InstallError } from '../install-error.ts';
import { safePath } from '../source/safe-path.ts';
import type { Source } from '../source/source.ts';
import { nameFlaw } from '../stage/checked-files.ts';

/** The amount that may still be read. */
export interface Room {
  /** Folders count too. */
  files: number;
  bytes: number;
}

/** The most that the packages of one skill may have together. */
export const environmentBounds: Room = { files: 50_000, bytes: 1024 * 1024 * 1024 };

/**
 * Writes the files of a package, read-only. `placeOf` maps a checked path to one in the folder; `undefined` leaves the file
 * out. Nothing runs. Every entry is checked before a file is written: links and special files are refused. Rejects with an
 * `InstallError`; `what` names the package in it.
 */
export async function unpackFiles(
  source: Source,
  what: string,
  into: string,
  room: Room,
  {
    placeOf,
    keepsExecutable = false,
  }: { placeOf: (path: string) => string | undefined; keepsExecutable?: boolean },
): Promise<void> {
  const places = new Map<number, string>();
  let place = 0;
  for await (const { path: written, kind, bytes } of source.entries()) {
    const checked = safePath(written);
    const path = placeOf(checked);
    const flaw = nameFlaw(checked);
    if (flaw !== undefined)
      throw new InstallError(
        'SOURCE_UNSAFE_PATH',
        `${what} has ${JSON.stringify(written.slice(0, 200))}, whose name ${flaw}; it is refused`,
      );
    if (kind !== 'file' && kind !== 'folder')
      throw new InstallError(
        'SOURCE_UNSAFE_PATH',
        `${what} has ${JSON.stringify(written.slice(0, 200))}, which is a link or a special file; it is refused`,
      );
    // Entries that are left out count too: reading them takes as long.
    room.files -= 1;
    room.bytes -= bytes;
    if (room.files < 0 || room.bytes < 0)
      throw new InstallError(
        'SOURCE_TOO_LARGE',
        `the packages have more than ${environmentBounds.files} files and folders or ${environmentBounds.bytes} bytes together`,
      );
    if (kind === 'file' && path !== undefined) places.set(place, path);
    place += 1;
  }
  place = 0;
  for await (const entry of source.entries((at) => places.has(at))) {
    const path = places.get(place);
    place += 1;
    if (path === undefined) continue;
    const to = join(into, path);
    await mkdir(dirname(to), { recursive: true });
    // Two packages may have the same file: the later one stays, as with pip.
    await rm(to, { force: true });
    const mode = keepsExecutable && entry.isExecutable ? 0o555 : 0o444;
    await writeFile(to, await entry.read(), { flag: 'wx', mode });
  }
}
