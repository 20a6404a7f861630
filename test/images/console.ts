// Makes the pictures of the console in docs/images: every view, at 1280 and 390 pixels, light and dark. Starts a daemon
// with sample calls for them, and a cluster for its nodes.
//
//   npm run images              every view
//   npm run images -- nodes     one of them
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { ensureBundle } from '../../scripts/bundle.mjs';
import { signedIn, startBrowser } from '../support/console-browser.ts';
import { ambit, type Daemon, daemonProcess, repository, trust } from '../support/daemon-process.ts';
import { sampleCalls, sampleConfig } from './sample-calls.ts';
import { sampleCluster } from './sample-cluster.ts';

const images = join(repository, 'docs/images');
const wanted = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'ambit-images-'));
await mkdir(images, { recursive: true });
// Daemons serve the pages that were built last.
await ensureBundle();
const browser = await startBrowser();
try {
  if (wanted.join() !== 'nodes') await picturesOfDaemon(browser);
  if (isWanted('nodes')) await picturesOfCluster(browser);
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}

async function picturesOfDaemon(browser: Browser): Promise<void> {
  const daemon = await daemonProcess(folder, await sampleConfig(folder));
  try {
    await trust(folder);
    const { denied, run } = await sampleCalls(daemon, folder, (...args) => ambit(args, { cwd: folder }));
    await pictures(browser, daemon, {
      home: '',
      runs: 'runs',
      run: `runs/${run}`,
      refusal: `runs/${denied}`,
      approvals: 'approvals',
      review: 'approvals/notes:report',
      catalog: 'catalog',
      skill: 'catalog/csv-profile',
      audit: 'audit',
      prompt: 'prompt?a.phase=implement&b=1&b.phase=review',
      settings: 'settings?skill=web-fetch&kind=network&item=api.example.com',
    });
  } finally {
    await daemon.stop();
  }
}

async function picturesOfCluster(browser: Browser): Promise<void> {
  const { node, stop } = await sampleCluster(join(folder, 'cluster'));
  try {
    await pictures(browser, node, { nodes: 'nodes' });
  } finally {
    await stop();
  }
}

async function pictures(
  browser: Browser,
  daemon: Daemon,
  views: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [width, height] of [
    [1280, 860],
    [390, 780],
  ] as const)
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, context } = await signedIn(browser, daemon, '/console/', {
        viewport: { width, height },
        colorScheme,
        timezoneId: 'UTC',
        locale: 'en-GB',
      });
      for (const [name, path] of Object.entries(views).filter(([each]) => isWanted(each))) {
        await page.goto(`${daemon.url}/console/${path}`);
        await page.locator('body:has(h1):not(:has(.loading))').waitFor();
        await page.screenshot({ path: join(images, `console-${name}-${width}-${colorScheme}.png`) });
      }
      await context.close();
    }
}

function isWanted(view: string): boolean {
  return wanted.length === 0 || wanted.includes(view);
}
