import { lstat, opendir } from 'node:fs/promises';
import { type OpenPath, pathOf } from './open-contained.ts';
import type { Piece } from './piece.ts';
import { shownName } from './shown-name.ts';

/** The most names that are read of a folder. */
const namesMax = 100_000;

/**
 * Lists the first `entriesMax` names of an open folder, sorted, one per line. Folders end with a
 * slash, files have their size in bytes, and links are marked and not followed.
 */
export async function listEntries({ handle }: OpenPath, entriesMax: number): Promise<Piece> {
  const folder = pathOf(handle);
  const names = await someNames(folder);
  const lines: string[] = [];
  for (const name of names.toSorted().slice(0, entriesMax)) lines.push(await lineOf(folder, name));
  const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''));
  const more = names.length - lines.length;
  const least = names.length === namesMax ? 'at least ' : '';
  const note = more > 0 ? `truncated: ${least}${more} more entries` : undefined;
  return { kind: 'text', bytes, totalBytes: bytes.length, note };
}

async function someNames(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of await opendir(folder, { bufferSize: 1024 })) {
    if (names.push(name) === namesMax) break;
  }
  return names;
}

async function lineOf(folder: string, name: string): Promise<string> {
  const stats = await lstat(`${folder}/${name}`).catch(() => undefined);
  const shown = shownName(name);
  if (stats === undefined) return shown;
  if (stats.isDirectory()) return `${shown}/`;
  if (stats.isSymbolicLink()) return `${shown} (link)`;
  return stats.isFile() ? `${shown} (${stats.size} bytes)` : `${shown} (special)`;
}
