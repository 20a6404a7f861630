import { Counter, type Registry } from 'prom-client';
import type { Authentication } from '../auth/key-rights.ts';
import type { KeyRing } from '../auth/key-ring.ts';

const reasons = [
  'missing',
  'malformed',
  'wrong',
  'expired',
  'revoked',
  'limited',
] as const satisfies readonly Exclude<Authentication['status'], 'accepted'>[];

/** Wraps `authenticate` and counts its refusals by reason. */
export function countedKeys(
  registry: Registry,
): (authenticate: KeyRing['authenticate']) => KeyRing['authenticate'] {
  const refused = new Counter({
    name: 'ambit_keys_refused_total',
    help: 'Requests without a valid key.',
    labelNames: ['reason'],
    registers: [registry],
  });
  // An alert sees no increase in a series that begins with 1.
  for (const reason of reasons) refused.inc({ reason }, 0);
  const counted = (result: Authentication): Authentication => {
    if (result.status !== 'accepted') refused.inc({ reason: result.status });
    return result;
  };
  return (authenticate) => (header) => {
    const result = authenticate(header);
    if (result.status !== 'borrowing') return counted(result);
    return { ...result, settled: result.settled.then(counted) };
  };
}
