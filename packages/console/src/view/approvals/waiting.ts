import type { AmbitClient, InstalledSkill } from '@ambit/client';
import { daemonNow } from '../../format/clock.ts';

/** The installed skills that wait for a decision, except where it was postponed. */
export async function waitingApprovals(
  client: AmbitClient,
  signal: AbortSignal,
): Promise<readonly InstalledSkill[]> {
  const skills = await client.installs.list({ signal });
  return skills.filter(
    ({ state, postponedUntil }) =>
      ['waiting', 'unapproved', 'expired'].includes(state) &&
      (postponedUntil === null || Date.parse(postponedUntil) <= daemonNow()),
  );
}
