// Threat model: T240

/**
 * Sends requests generated from the OpenAPI document of a real daemon: `npm run test:all -- fuzz
 * [--requests N --seed S]`. Exits with 1 if an answer does not match the document, the daemon has
 * ended, or its log is not intact.
 */
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fuzzDaemon } from '../support/openapi/fuzz-daemon.ts';
import { fuzzWorld } from '../support/openapi/fuzz-world.ts';

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '20000' }, seed: { type: 'string' } },
});
const requests = Number(values.requests);
const seed = values.seed === undefined ? randomInt(2 ** 30) : Number(values.seed);

const folder = await mkdtemp(join(tmpdir(), 'ambit-fuzz-'));
const { daemon, keys, hints } = await fuzzWorld(folder);
console.log(`${requests} requests, seed ${seed}`);
try {
  const report = await fuzzDaemon(daemon, {
    requests,
    seed,
    keys,
    hints,
    onProgress: (made) => console.log(`${made} requests`),
  });
  const { flaws, ...counted } = report;
  console.log(JSON.stringify(counted, null, 2));
  for (const flaw of flaws) console.log(`FLAW  ${flaw}`);
  const health = await daemon.request('GET', '/healthz');
  const { body: verification } = await daemon.request('GET', '/audit/verify');
  console.log(JSON.stringify({ health: health.body, verification }));
  const holds = flaws.length === 0 && health.status === 200 && verification.intact === true;
  console.log(holds ? `passed, seed ${seed}` : `FAILED, seed ${seed}`);
  if (!holds) process.exitCode = 1;
} finally {
  await daemon.stop();
  await rm(folder, { recursive: true, force: true });
}
