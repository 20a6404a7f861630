// The process of the load generator: it receives loads one after another and reports their results.
// It is a separate process, so its own resources are not counted as the daemon's.
import { randomUUID } from 'node:crypto';
import autocannon from 'autocannon';
import type { Load, Loaded } from './load-generator.ts';

const known: Rates = new Map();
process.on('message', (load: Load) => void runLoad(known, load).then((done) => process.send?.(done)));

/** The last rate of each load, in answers per second. */
type Rates = Map<string, number>;

/**
 * Sends a number of requests that is derived from the previous rate. Stopping by time would drop
 * pending requests, which cancels their calls and ends the hosts that run them.
 */
async function runLoad(rates: Rates, load: Load): Promise<Loaded> {
  const { url, headers, uniqueHeader, body, connections, ms, holds } = load;
  const name = `${url} ${uniqueHeader}`;
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  let endedAt = startedAt;
  const latenciesMs: number[] = [];
  const statuses: Record<string, number> = {};
  const done = Promise.withResolvers<autocannon.Result>();
  const run = autocannon(
    {
      url,
      headers,
      body,
      connections,
      method: 'POST',
      amount: Math.max(connections, Math.round(((rates.get(name) ?? 0) * ms) / 1000)),
      requests: [{ setupRequest: (request) => withUnique(request, uniqueHeader) }],
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
  rates.set(name, (latenciesMs.length / (endedAt - startedAt)) * 1000);
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

function withUnique(request: autocannon.Request, header: string | undefined): autocannon.Request {
  return header === undefined
    ? request
    : { ...request, headers: { ...request.headers, [header]: randomUUID() } };
}
