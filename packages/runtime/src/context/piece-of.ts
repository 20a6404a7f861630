import { stat } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { type ContextRequirement, liesWithin } from '@ambit/core/internal';
import { gitStatus } from '../process/git-status.ts';
import type { ContextLimits, ContextLocation } from './context-location.ts';
import { listEntries } from './list-entries.ts';
import { type ContainingFolder, openContained } from './open-contained.ts';
import { nothing, type Piece } from './piece.ts';
import { readText } from './read-text.ts';

/** What a requirement is gathered from. */
export interface Surroundings {
  place: ContextLocation;
  /** Absent: the project is not there. */
  enclosure: ContainingFolder | undefined;
  limits: ContextLimits;
}

/** Gathers one requirement. Rejects with a sentence that says why it cannot be had. */
export async function pieceOf(
  requirement: ContextRequirement,
  { place, enclosure, limits }: Surroundings,
  signal: AbortSignal,
): Promise<Piece> {
  if (requirement.type === 'item_metadata') return itemPiece(place.item, limits);
  if (enclosure === undefined) throw new Error('the folder of the project does not exist');
  switch (requirement.type) {
    case 'git_status':
      return statusPiece(place, enclosure, limits, signal);
    case 'file':
      return pathPiece(enclosure, enclosure.root, requirement.path, limits);
    case 'phase_artifact':
      return pathPiece(enclosure, itemFolderOf(place), requirement.path, limits);
    default:
      return requirement satisfies never;
  }
}

/** Its size only: the item itself is handed on as it is. */
function itemPiece(item: unknown, { fileBytes }: ContextLimits): Piece {
  if (item === undefined || item === null) return nothing;
  const bytes = new TextEncoder().encode(JSON.stringify(item));
  if (bytes.length <= fileBytes) return { kind: 'text', bytes, totalBytes: bytes.length };
  throw new Error(`the item has ${bytes.length} bytes; at most ${fileBytes} are used`);
}

async function statusPiece(
  { sandbox }: ContextLocation,
  { realRoot, hidden = [] }: ContainingFolder,
  { fileBytes, timeoutMs }: ContextLimits,
  signal: AbortSignal,
): Promise<Piece> {
  if (sandbox === undefined) throw new Error('git is only run in a sandbox, and there is none here');
  if ((await stat(`${realRoot}/.git`).catch(() => undefined)) === undefined) {
    throw new Error('the project is no git repository: there is no .git in its own folder');
  }
  const request = { sandbox, root: realRoot, timeoutMs, outputBytes: fileBytes };
  const { text, isCut } = await gitStatus(
    { ...request, hidden: await foldersWithin(realRoot, hidden) },
    signal,
  );
  const bytes = new TextEncoder().encode(text);
  const note = `cut: it is longer than ${fileBytes} bytes`;
  return { kind: 'text', bytes, totalBytes: bytes.length, ...(isCut ? { note } : {}) };
}

/** Those of the places that are folders beneath `root`, relative to it. */
async function foldersWithin(root: string, places: readonly string[]): Promise<string[]> {
  const folders: string[] = [];
  for (const place of places) {
    if (place === root || !liesWithin(place, root)) continue;
    if ((await stat(place).catch(() => undefined))?.isDirectory() === true)
      folders.push(relative(root, place));
  }
  return folders;
}

async function pathPiece(
  enclosure: ContainingFolder,
  base: string,
  path: string,
  { fileBytes, entries }: ContextLimits,
): Promise<Piece> {
  const opened = await openContained(enclosure, base, path);
  try {
    return opened.kind === 'file' ? await readText(opened, fileBytes) : await listEntries(opened, entries);
  } finally {
    await opened.handle.close();
  }
}

function itemFolderOf({ root, itemFolder }: ContextLocation): string {
  if (itemFolder === undefined) throw new Error('no folder with artefacts was given');
  return resolve(root, itemFolder);
}
