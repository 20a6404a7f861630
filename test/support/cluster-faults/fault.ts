import { type FaultWorld, leaseSeconds } from './fault-world.ts';

/** The parts that a fault may use. */
export interface FaultRound {
  world: FaultWorld;
  /** In [0, 1). */
  random(): number;
  /** Reports what must not happen. */
  report(what: string): void;
}

/** Disturbs the cluster and ends the disturbance. Resolves to what it did. */
export type Fault = (round: FaultRound) => Promise<string>;

export const leaseMs = leaseSeconds * 1000;

/** Calls a skill without an idempotency key. */
export async function callAt(
  world: FaultWorld,
  name: string,
  skill: string,
  input: object,
): Promise<{ status: number; text: string }> {
  const { url, key } = world.at(name);
  const answer = await fetch(`${url}/skills/${skill}/execute`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input }),
  });
  return { status: answer.status, text: await answer.text() };
}

export function oneOf<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('there is nothing to choose from');
  return item;
}
