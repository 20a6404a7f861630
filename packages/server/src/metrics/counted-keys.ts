import { Counter, type Registry } from 'prom-client';
import type { Authenticated } from '../auth/key-rights.ts';
import type { KeyRing } from '../auth/key-ring.ts';

const reasons = [
  'missing',
  'malformed',
  'wrong',
  'expired',
  'revoked',
  'limited',
] as const satisfies readonly Exclude<Authenticated['status'], 'accepted'>[];

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
  // A series that begins with 1 has no increase that an alert could see.
  for (const reason of reasons) refused.inc({ reason }, 0);
  return (authenticate) => (header) => {
    const judged = authenticate(header);
    if (judged.status !== 'accepted') refused.inc({ reason: judged.status });
    return judged;
  };
}
