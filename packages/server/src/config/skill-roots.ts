import { realpath } from 'node:fs/promises';
import { discoveredRoots, type SkillRoot } from '@ambit/runtime';
import { bundledSkills } from './bundled-skills.ts';
import type { Origin, Sourced } from './config.ts';
import type { ConfigFile } from './file/config-file.ts';

/** The file's own, the bundled ones where they are not among those, and the places that people keep skills in. */
export async function skillRoots(
  content: ConfigFile,
  origin: Origin,
  { project, home }: { project: string; home: string },
): Promise<Sourced<SkillRoot>[]> {
  const own = (content.skills ?? []).map((value) => ({ value, origin }));
  const others: SkillRoot[] = [
    ...(content.bundledSkills === false ? [] : [{ path: bundledSkills, tier: 'local' as const }]),
    ...(content.discoveredSkills === false ? [] : discoveredRoots({ project, home })),
  ];
  const named = await Promise.all(own.map(({ value }) => place(value.path)));
  const places = await Promise.all(others.map(({ path }) => place(path)));
  const added = others.filter((_, index) => !named.includes(places[index] ?? ''));
  return [...own, ...added.map((value) => ({ value, origin: 'default' as const }))];
}

async function place(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
