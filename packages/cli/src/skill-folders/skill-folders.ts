import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Catalog, Skill } from '@ambit/core';
import { liesWithin } from '@ambit/core/policy';
import { folderCatalog } from '@ambit/runtime';
import type { CommandContext } from '../command/define-command.ts';

/** Folders to check, and the skills that could be read from them. */
export interface ChosenFolders {
  /** Real paths. */
  folders: string[];
  skills: readonly Skill[];
}

/**
 * The skill folders below `places`, or without places of the configured skills. A place without skills is
 * returned itself, so that the command reports it. Rejects with a `ConfigError` if it needs an invalid configuration.
 */
export async function chosenFolders(
  { loadConfig, terminal, flags }: CommandContext,
  places: readonly string[],
): Promise<ChosenFolders> {
  if (places.length > 0) {
    const named = places.map((place) => resolve(terminal.cwd(), place));
    return foldersOf(folderCatalog(named.map((path) => ({ path, tier: 'untrusted' }))), named);
  }
  const config = await loadConfig(flags);
  // Do not report missing default folders: they are not configured, and most do not exist.
  const named = config.skills.filter(({ discovered }) => discovered !== true).map(({ path }) => path);
  const { catalogOf } = await import('@ambit/server/local');
  return foldersOf(catalogOf(config, terminal.env), named);
}

async function foldersOf(catalog: Catalog, named: readonly string[]): Promise<ChosenFolders> {
  const [skills, broken] = [await catalog.list(), await catalog.broken()];
  const found = [...new Set([...skills, ...broken].map(({ root }) => root))];
  const real = await Promise.all(named.map((place) => realpath(place).catch(() => place)));
  const within = real.flatMap((place) => {
    const below = found.filter((root) => liesWithin(root, place)).sort();
    return below.length > 0 ? below : [place];
  });
  return { folders: [...new Set([...within, ...found.sort()])], skills };
}
