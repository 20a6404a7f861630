import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startDaemon } from '../../support/daemon.ts';
import type { Daemon } from '../../support/daemon-process.ts';
import { until } from '../../support/until.ts';

const preload = new URL('../support/count-promises.mjs', import.meta.url);

/** A call passes through many layers, which await each other. A loop that awaits each of its items would exceed this. */
const promisesMax = 200;

test(`a lone WASM call creates at most ${promisesMax} promises in the daemon's main thread`, async () => {
  const daemon = await startDaemon({}, { nodeArgs: ['--import', preload.href] });
  // The first calls load modules and start a host.
  for (let call = 0; call < 3; call += 1) await redact(daemon);
  const counts: number[] = [];
  // Other work of the daemon may fall into one of them.
  for (let round = 0; round < 3; round += 1) counts.push(await promisesOfCall(daemon));
  const fewest = Math.min(...counts);
  expect([fewest > 0, fewest <= promisesMax], `counted ${counts.join(', ')}`).toEqual([true, true]);
});

async function promisesOfCall(daemon: Daemon): Promise<number> {
  const before = daemon.printed().length;
  const prints = (line: RegExp): Promise<string> =>
    until(async () => {
      // A request would be counted too.
      await nextTurn();
      return line.exec(daemon.printed().slice(before))?.[1];
    });
  daemon.signal('SIGUSR2');
  await prints(/(counting promises)\n/);
  await redact(daemon);
  daemon.signal('SIGUSR2');
  return Number(await prints(/promises: (\d+)\n/));
}

async function redact(daemon: Daemon): Promise<void> {
  const { body } = await daemon.execute('text-redact', { input: { text: 'mail ada@example.org' } });
  expect(body.outcome.status).toBe('succeeded');
}
