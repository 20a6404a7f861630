import type { Page } from 'playwright-core';
import { signedIn, startBrowser } from '../test/support/console-browser.ts';
import { daemonProcess } from '../test/support/daemon-process.ts';
import { compare, formatTable, verdict } from './compare.ts';

/** Above an empty page, until the first view shows its data. */
const interactiveMsMax = 150;
const liveCallsPerRound = 20;
/** Of the heap, from the first third of the live runs to the last. */
const growthMax = 1.15;

/** How long the console takes to show its first view, and whether its memory grows while runs appear. */
export async function consoleBench(folder: string, rounds: number): Promise<void> {
  const daemon = await daemonProcess(folder, {});
  const browser = await startBrowser();
  try {
    for (let call = 0; call < 100; call++) await daemon.execute('text-redact', { input: { text: 'a' } });
    const { page, context } = await signedIn(browser, daemon);
    const timings = await compare(
      [
        // Not found: no script, no style, and the same connection.
        { name: 'an empty page', run: () => page.goto(`${daemon.url}/console/assets/none.js`) },
        {
          name: 'the console, until its data is shown',
          async run() {
            await page.goto(`${daemon.url}/console/`);
            await page.locator('tbody tr').first().waitFor();
          },
        },
      ],
      Math.max(10, Math.round(rounds / 10)),
    );
    console.log(formatTable('The first view of the console', timings));
    const [empty, shown] = timings.map(({ medianMs }) => medianMs);
    const tookMs = (shown ?? Number.NaN) - (empty ?? Number.NaN);
    verdict(
      tookMs <= interactiveMsMax,
      `at most ${interactiveMsMax} ms above an empty page: ${tookMs.toFixed(0)} ms`,
    );

    await page.goto(`${daemon.url}/console/runs`);
    const heaps: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const calls = Array.from({ length: liveCallsPerRound }, () =>
        daemon.execute('text-redact', { input: { text: 'a' } }),
      );
      await Promise.all(calls);
      heaps.push(await heapBytes(page));
    }
    const third = Math.floor(heaps.length / 3);
    const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[third >> 1] ?? 0;
    const [first, last] = [median(heaps.slice(0, third)), median(heaps.slice(-third))];
    const inMegabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
    verdict(
      last <= first * growthMax,
      `flat memory over ${rounds * liveCallsPerRound} live runs: ${inMegabytes(first)} MB, then ${inMegabytes(last)} MB\n`,
    );
    await context.close();
  } finally {
    await browser.close();
    await daemon.stop();
  }
}

/** Of the page, after a collection. */
async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}
