import { Counter, type Registry } from 'prom-client';
import type { KeyRing } from '../auth/key-ring.ts';

/** Makes a judge of keys into one whose refusals are counted, by why. */
export function countedKeys(
  registry: Registry,
): (authenticate: KeyRing['authenticate']) => KeyRing['authenticate'] {
  const refused = new Counter({
    name: 'ambit_keys_refused_total',
    help: 'Requests without a key that is accepted.',
    labelNames: ['reason'],
    registers: [registry],
  });
  return (authenticate) => (header) => {
    const judged = authenticate(header);
    if (judged.status !== 'accepted') refused.inc({ reason: judged.status });
    return judged;
  };
}
