import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CommandContext, GlobalFlags } from '../commands/command-context.ts';

/**
 * The skill folders that a command is about: those at the given places, else at the configured ones, in order. Rejects
 * with a `ConfigError` when it needs a configuration that is wrong.
 */
export async function chosenFolders(
  { actions, terminal }: CommandContext,
  flags: GlobalFlags,
  places: readonly string[],
): Promise<string[]> {
  const chosen =
    places.length > 0
      ? places.map((place) => resolve(terminal.cwd(), place))
      : (await actions.loadConfig(flags)).skills.map(({ path }) => path);
  return (await Promise.all(chosen.map(skillFolders))).flat();
}

/** The skill folders at a place: itself, or those directly below. Itself too when there are none, to be told so. */
async function skillFolders(place: string): Promise<string[]> {
  if (await hasSkillFile(place)) return [place];
  const names = await readdir(place).catch(() => []);
  const folders: string[] = [];
  for (const name of names.sort()) {
    if (await hasSkillFile(join(place, name))) folders.push(join(place, name));
  }
  return folders.length > 0 ? folders : [place];
}

async function hasSkillFile(folder: string): Promise<boolean> {
  return (await stat(join(folder, 'SKILL.md')).catch(() => undefined))?.isFile() ?? false;
}
