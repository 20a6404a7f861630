// The load generator's process: it is told of one load after another, and says what came of each. A process of its own,
// so that what it takes itself is known and is not the daemon's.
import autocannon from 'autocannon';
import type { Load, Loaded } from './load-generator.ts';

const known: Rates = new Map();
process.on('message', (load: Load) => void loaded(known, load).then((done) => process.send?.(done)));

/** How many answers a second each address last gave. */
type Rates = Map<string, number>;

/**
 * By number, from what came in the time before: a load that ended with its time would drop what is under way, and each call
 * whose client goes away is canceled, with the host that it runs in.
 */
async function loaded(rates: Rates, { url, headers, body, connections, ms, holds }: Load): Promise<Loaded> {
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  let endedAt = startedAt;
  const latenciesMs: number[] = [];
  const statuses: Record<string, number> = {};
  const done = Promise.withResolvers<autocannon.Result>();
  const run = autocannon(
    {
      ...{ url, headers, body, connections, method: 'POST' },
      amount: Math.max(connections, Math.round(((rates.get(url) ?? 0) * ms) / 1000)),
      verifyBody: (text) => String(text).includes(holds),
    },
    (error, result) => (error ? done.reject(error) : done.resolve(result)),
  );
  run.on('response', (_client, status, _bytes, latencyMs) => {
    endedAt = performance.now();
    statuses[status] = (statuses[status] ?? 0) + 1;
    latenciesMs.push(latencyMs);
  });
  const { errors, mismatches } = await done.promise;
  rates.set(url, (latenciesMs.length / (endedAt - startedAt)) * 1000);
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    ms: endedAt - startedAt,
    latenciesMs,
    statuses,
    errors,
    mismatches,
    cpuMs: (user + system) / 1000,
  };
}
