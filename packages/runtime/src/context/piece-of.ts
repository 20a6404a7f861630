import { stat } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { liesWithin } from '@ambit/core/policy';
import type { ContextRequirement } from '@ambit/core/skill';
import type { ContextLimits, ContextLocation } from './context-location.ts';
import { gitStatus } from './git-status.ts';
import { listEntries } from './list-entries.ts';
import { type ContainingFolder, openContained } from './open-contained.ts';
import { nothing, type Piece } from './piece.ts';
import { readText } from './read-text.ts';

/** The sources from which requirements are gathered. */
export interface GatheringContext {
  place: ContextLocation;
  /** Absent: the project does not exist. */
  project: ContainingFolder | undefined;
  limits: ContextLimits;
}

/** Gathers one requirement. Rejects with a message if it is unavailable. */
export async function pieceOf(
  requirement: ContextRequirement,
  { place, project, limits }: GatheringContext,
  signal: AbortSignal,
): Promise<Piece> {
  if (requirement.type === 'item_metadata') return itemPiece(place.item, limits);
  if (project === undefined) throw new Error('the project folder does not exist');
  switch (requirement.type) {
    case 'git_status':
      return statusPiece(place, project, limits, signal);
    case 'file':
      return pathPiece(project, project.root, requirement.path, limits);
    case 'phase_artifact':
      return pathPiece(project, itemFolderOf(place), requirement.path, limits);
    default:
      return requirement satisfies never;
  }
}

/** Measures the item, which is passed on unchanged. */
function itemPiece(item: unknown, { fileBytes }: ContextLimits): Piece {
  if (item === undefined || item === null) return nothing;
  const bytes = new TextEncoder().encode(JSON.stringify(item));
  if (bytes.length <= fileBytes) return { kind: 'text', bytes, totalBytes: bytes.length };
  throw new Error(`the item has ${bytes.length} bytes; at most ${fileBytes} are allowed`);
}

async function statusPiece(
  { sandbox }: ContextLocation,
  { realRoot, hidden = [] }: ContainingFolder,
  { fileBytes, timeoutMs }: ContextLimits,
  signal: AbortSignal,
): Promise<Piece> {
  if (sandbox === undefined) throw new Error('git runs only in a sandbox, which is unavailable here');
  if ((await stat(`${realRoot}/.git`).catch(() => undefined)) === undefined) {
    throw new Error('the project is not a git repository: it has no .git');
  }
  const request = { sandbox, root: realRoot, timeoutMs, outputBytes: fileBytes };
  const { text, isCut } = await gitStatus(
    { ...request, hidden: await foldersWithin(realRoot, hidden) },
    signal,
  );
  const bytes = new TextEncoder().encode(text);
  const note = isCut ? `truncated: it is longer than ${fileBytes} bytes` : undefined;
  return { kind: 'text', bytes, totalBytes: bytes.length, note };
}

/** The folders among `places` that are below `root`, relative to it. */
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
  project: ContainingFolder,
  base: string,
  path: string,
  { fileBytes, entries }: ContextLimits,
): Promise<Piece> {
  const opened = await openContained(project, base, path);
  try {
    return opened.kind === 'file' ? await readText(opened, fileBytes) : await listEntries(opened, entries);
  } finally {
    await opened.handle.close();
  }
}

function itemFolderOf({ root, itemFolder }: ContextLocation): string {
  if (itemFolder === undefined) throw new Error('the call names no folder of artefacts');
  return resolve(root, itemFolder);
}
