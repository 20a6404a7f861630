// The process of the load generator: it receives loads one after another and reports their results.
// It is a separate process, so its own resources are not counted as the daemon's.
import autocannon from 'autocannon';
import type { Load, Loaded } from './load-generator.ts';

const known: Rates = new Map();
process.on('message', (load: Load) => void runLoad(known, load).then((done) => process.send?.(done)));

/** The last rate of each address, in answers per second. */
type Rates = Map<string, number>;

/**
 * Sends a number of requests that is derived from the previous rate. Stopping by time would drop
 * pending requests, which cancels their calls and ends the hosts that run them.
 */
async function runLoad(rates: Rates, { url, headers, body, connections, ms, holds }: Load): Promise<Loaded> {
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
