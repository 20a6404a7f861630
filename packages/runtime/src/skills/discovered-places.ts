import { join } from 'node:path';
import type { SkillRoot } from './folder-catalog.ts';

/**
 * Where people keep skills that nobody configured: the project's folders before the user's. Untrusted, since a cloned
 * repository brings its own.
 */
export function discoveredPlaces({ project, home }: { project: string; home: string }): SkillRoot[] {
  return [...new Set([project, home])].flatMap((folder) =>
    ['.agents/skills', '.claude/skills'].map((place) => ({
      path: join(folder, place),
      tier: 'untrusted' as const,
      discovered: true as const,
    })),
  );
}
