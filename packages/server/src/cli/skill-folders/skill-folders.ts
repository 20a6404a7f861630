import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Catalog } from '@ambit/core';
import { liesWithin } from '@ambit/core/internal';
import { folderCatalog } from '@ambit/runtime';
import type { CommandContext, GlobalFlags } from '../commands/command-context.ts';

/**
 * The skill folders that a command is about, by their real paths: those at the given places, else the configured ones,
 * as the catalog finds them. A place without any stands for itself, so that whoever named it is told. Rejects with a
 * `ConfigError` when it needs a configuration that is wrong.
 */
export async function chosenFolders(
  { actions, terminal }: CommandContext,
  flags: GlobalFlags,
  places: readonly string[],
): Promise<string[]> {
  if (places.length > 0) {
    const named = places.map((place) => resolve(terminal.cwd(), place));
    return foldersOf(folderCatalog(named.map((path) => ({ path, tier: 'untrusted' }))), named);
  }
  const config = await actions.loadConfig(flags);
  // Nobody named the places that people keep skills in, and most of them are not there.
  const named = config.skills.filter(({ discovered }) => discovered !== true).map(({ path }) => path);
  return foldersOf(actions.catalog(config), named);
}

async function foldersOf(catalog: Catalog, named: readonly string[]): Promise<string[]> {
  const [skills, broken] = [await catalog.list(), await catalog.broken()];
  const found = [...new Set([...skills, ...broken].map(({ root }) => root))];
  const real = await Promise.all(named.map((place) => realpath(place).catch(() => place)));
  const within = real.flatMap((place) => {
    const here = found.filter((root) => liesWithin(root, place)).sort();
    return here.length > 0 ? here : [place];
  });
  return [...new Set([...within, ...found.sort()])];
}
