// Requests /healthz from daemons, each on its own connection and one request at a time. It is a
// separate process, so the bench and its attacks do not add to the latency.
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** The measurements since the last request of the bench. */
export interface Probed {
  worstMs: number;
  peakMegabytes: number;
}

const pauseMs = 2;
const seen = process.argv.slice(2).map((daemon) => {
  const [url = '', pid = ''] = daemon.split(' ');
  const probed: Probed = { worstMs: 0, peakMegabytes: 0 };
  void probe(url, pid, probed);
  return probed;
});

process.on('message', () => {
  process.send?.(seen);
  for (const probed of seen) Object.assign(probed, { worstMs: 0, peakMegabytes: 0 });
});

async function probe(url: string, pid: string, probed: Probed): Promise<never> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (;;) {
    const startedAt = performance.now();
    await answered(url, agent);
    probed.worstMs = Math.max(probed.worstMs, performance.now() - startedAt);
    probed.peakMegabytes = Math.max(probed.peakMegabytes, residentMegabytes(pid));
    await delay(pauseMs);
  }
}

function answered(url: string, agent: Agent): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  get(`${url}/healthz`, { agent }, (answer) => answer.resume().on('end', resolve)).on('error', reject);
  return promise;
}

function residentMegabytes(pid: string): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1000;
}
