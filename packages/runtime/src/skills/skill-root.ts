import { join } from 'node:path';
import type { Tier } from '@ambit/core/execute';

/** A folder with skill folders below it, or a skill folder itself, and how far its source is trusted. */
export interface SkillRoot {
  path: string;
  tier: Tier;
  /**
   * It is looked into because of its name, and nobody configured it: it comes after every root that somebody did, and
   * links that lead out of it are not followed. Absent: configured.
   */
  discovered?: true;
}

/**
 * The places where people already keep skills, the project's before the user's. Nobody vouches for what lies there, so
 * they are untrusted, and a skill there never takes the name of one from a configured root. `project` and `home` are
 * absolute paths; the places need not exist.
 */
export function discoveredRoots({ project, home }: { project: string; home: string }): SkillRoot[] {
  return [...new Set([project, home])].flatMap((folder) =>
    ['.agents', '.claude'].map(
      (agent): SkillRoot => ({ path: join(folder, agent, 'skills'), tier: 'untrusted', discovered: true }),
    ),
  );
}
