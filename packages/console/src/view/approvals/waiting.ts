import type { AmbitClient, InstalledSkill } from '@ambit/client';

/** The installed skills that wait for a decision. */
export async function waitingApprovals(
  client: AmbitClient,
  signal: AbortSignal,
): Promise<readonly InstalledSkill[]> {
  const skills = await client.installs.list({ signal });
  return skills.filter(({ state }) => state === 'waiting' || state === 'unapproved');
}
