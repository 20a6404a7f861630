import type { InstalledSkill } from '@ambit/client';
import { type ComponentChildren, createContext } from 'preact';
import { type Loaded, useLoaded } from '../../part/loaded.ts';
import { useLive } from '../../session/live.ts';
import { client } from '../../session/session.ts';

/** The states that wait for a decision: updates of skills in use first. */
const urgency: readonly string[] = ['waiting', 'expired', 'unapproved'];

/** The installed skills that wait for a decision, most urgent first. */
export async function waitingApprovals(signal: AbortSignal): Promise<readonly InstalledSkill[]> {
  const skills = await client.installs.list({ signal });
  return skills
    .filter(({ state }) => urgency.includes(state))
    .sort((a, b) => urgency.indexOf(a.state) - urgency.indexOf(b.state));
}

/** The same, for every part of the page that counts them. */
export const Waiting = createContext<Loaded<readonly InstalledSkill[]>>({
  value: undefined,
  error: undefined,
  reload: () => undefined,
});

/** Loads them once for all parts in it. */
export function WithWaiting({ children }: { children: ComponentChildren }) {
  const waiting = useLoaded('waiting', waitingApprovals);
  useLive(waiting.reload);
  return <Waiting.Provider value={waiting}>{children}</Waiting.Provider>;
}
