import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { openAuditLog } from '../packages/server/src/index.ts';
import { type ConsolePage, signedIn, startBrowser } from '../test/support/console-browser.ts';
import { type Daemon, daemonProcess } from '../test/support/daemon-process.ts';
import { until } from '../test/support/until.ts';
import { fill } from './audit-query.ts';
import { compare, formatTable, verdict } from './compare.ts';

/** Above an empty page, until the first view shows its data. */
const interactiveMsMax = 150;
const liveCallsPerRound = 20;
/** The growth of the heap, from the first third of the live runs to the last. */
const growthMax = 1.15;
/** For live runs over a longer time, at this pace. */
const minutes = Number(process.env['AMBIT_BENCH_MINUTES'] ?? 0);
const liveRoundMs = 5000;
const manyCalls = 100_000;
const manyRatioMax = 1.5;

/**
 * Measures how long the console takes to show its first view, if its memory grows while runs appear, and if a long log slows it
 * down. `AMBIT_BENCH_MINUTES` is how long runs appear; by default, a number of runs.
 */
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
            await appears(page, 'tbody tr');
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

    await liveRuns(daemon, page, rounds);
    await context.close();
    await manyRuns(folder, browser, daemon, rounds);
  } finally {
    await browser.close();
    await daemon.stop();
  }
}

/** The memory of the page while runs appear: in rounds, or for so many minutes. */
async function liveRuns(daemon: Daemon, page: Page, rounds: number): Promise<void> {
  await page.goto(`${daemon.url}/console/runs`);
  const heaps: number[] = [];
  const startedAt = Date.now();
  while (minutes > 0 ? Date.now() - startedAt < minutes * 60_000 : heaps.length < rounds) {
    const calls = Array.from({ length: liveCallsPerRound }, () =>
      daemon.execute('text-redact', { input: { text: 'a' } }),
    );
    await Promise.all(calls);
    heaps.push(await heapBytes(page));
    if (minutes > 0) await delay(liveRoundMs);
  }
  const third = Math.floor(heaps.length / 3);
  const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[third >> 1] ?? 0;
  const [first, last] = [median(heaps.slice(0, third)), median(heaps.slice(-third))];
  const took = ((Date.now() - startedAt) / 60_000).toFixed(1);
  verdict(
    last <= first * growthMax,
    `flat memory over ${heaps.length * liveCallsPerRound} live runs in ${took} min: ${inMegabytes(first)} MB, then ${inMegabytes(last)} MB\n`,
  );
}

/** The view of a log of 100,000 calls, in turns with a short log. */
async function manyRuns(folder: string, browser: Browser, few: Daemon, rounds: number): Promise<void> {
  const own = join(folder, 'many');
  const file = join(own, 'data', 'audit.db');
  await mkdir(join(own, 'data'), { recursive: true, mode: 0o700 });
  await (await openAuditLog({ file })).close();
  const calls = fill(file, 2 * manyCalls);
  const many = await daemonProcess(own, {});
  try {
    // The index is built once.
    await until(async () => (await many.request('GET', '/audit/count')).body.count >= calls);
    const pages = [await signedIn(browser, few), await signedIn(browser, many)] as const;
    const show = async ({ url }: Daemon, { page }: ConsolePage): Promise<void> => {
      await page.goto(`${url}/console/runs`);
      await appears(page, 'tbody tr:nth-child(51)');
    };
    const timings = await compare(
      [
        { name: 'a few thousand runs', run: () => show(few, pages[0]) },
        { name: `${calls} runs`, run: () => show(many, pages[1]) },
      ],
      Math.max(10, Math.round(rounds / 10)),
    );
    console.log(formatTable('The view Runs', timings));
    const [small, large] = timings.map(({ medianMs }) => medianMs);
    verdict((large ?? 0) <= (small ?? 0) * manyRatioMax, `at most ${manyRatioMax} × the time of a short log`);
    const { page } = pages[1];
    const [rows, marks] = [
      await page.locator('tbody tr').count(),
      await page.locator('.scatter path').count(),
    ];
    verdict(
      rows <= 100 && marks <= 100,
      `a bounded page: ${rows} rows, ${marks} marks, ${inMegabytes(await heapBytes(page))} MB\n`,
    );
    for (const { context } of pages) await context.close();
  } finally {
    await many.stop();
  }
}

/** Looks in every frame. A locator looks again only after up to 100 ms. */
function appears(page: Page, selector: string): Promise<unknown> {
  return page.waitForFunction((wanted) => {
    const { document } = globalThis as unknown as { document: { querySelector(selector: string): unknown } };
    return document.querySelector(wanted) !== null;
  }, selector);
}

function inMegabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

/** Returns the bytes of the page's heap, after a collection. */
async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}
