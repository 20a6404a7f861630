// The minimal HTTP server: one Fastify route that reads a JSON body and returns a constant as long
// as the daemon's answer. No key, no policy, no record, no call.
import { fastify } from 'fastify';

const answer = {
  executionId: '019aa6f5-0000-7000-8000-000000000000',
  outcome: { status: 'succeeded', output: { text: 'mail [redacted-email]', counts: { email: 1 } } },
  usage: { durationMs: 1, cpuMs: 1, memoryPeakBytes: 1, fuelConsumed: 1, queueMs: 1 },
  log: '',
  audit: { sequence: 1, hash: `sha256:${'0'.repeat(64)}` },
};
const app = fastify();
app.post('/', async () => answer);
process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }));
