import type { AmbitClient, InstalledSkill } from '@ambit/client';
import { daemonNow } from '../../format/clock.ts';

/** The states that wait for a decision: updates of skills in use first. */
const urgency: readonly string[] = ['waiting', 'expired', 'unapproved'];

/** The installed skills that wait for a decision, most urgent first, except where it was postponed. */
export async function waitingApprovals(
  client: AmbitClient,
  signal: AbortSignal,
): Promise<readonly InstalledSkill[]> {
  const skills = await client.installs.list({ signal });
  return skills
    .filter(
      ({ state, postponedUntil }) =>
        urgency.includes(state) && (postponedUntil === null || Date.parse(postponedUntil) <= daemonNow()),
    )
    .sort((a, b) => urgency.indexOf(a.state) - urgency.indexOf(b.state));
}
