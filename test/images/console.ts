// Makes the pictures of the console in docs/images: every view, at 1280 and 390 pixels, light and dark. Starts a daemon
// with sample calls for them.
//
//   npm run images
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signedIn, startBrowser } from '../support/console-browser.ts';
import { ambit, daemonProcess, repository, trust } from '../support/daemon-process.ts';
import { sampleCalls, sampleConfig } from './sample-calls.ts';

const folder = await mkdtemp(join(tmpdir(), 'ambit-images-'));
const images = join(repository, 'docs/images');
await mkdir(images, { recursive: true });
const daemon = await daemonProcess(folder, await sampleConfig(folder));
await trust(folder);
const browser = await startBrowser();
try {
  const { denied, run } = await sampleCalls(daemon, folder, (...args) => ambit(args, { cwd: folder }));
  const views = {
    ...{ home: '', runs: 'runs', run: `runs/${run}`, refusal: `runs/${denied}`, approvals: 'approvals' },
    ...{ review: 'approvals/notes:report', catalog: 'catalog', skill: 'catalog/csv-profile', audit: 'audit' },
    prompt: 'prompt?a.phase=implement&b=1&b.phase=review',
    settings: 'settings?skill=web-fetch&kind=network&item=api.example.com',
  };
  for (const [width, height] of [
    [1280, 860],
    [390, 780],
  ] as const)
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, context } = await signedIn(browser, daemon, '/console/', {
        ...{ viewport: { width, height }, colorScheme, timezoneId: 'UTC', locale: 'en-GB' },
      });
      for (const [name, path] of Object.entries(views)) {
        await page.goto(`${daemon.url}/console/${path}`);
        await page.waitForFunction(
          () => document.querySelector('h1') !== null && document.querySelector('.loading') === null,
        );
        await page.screenshot({ path: join(images, `console-${name}-${width}-${colorScheme}.png`) });
      }
      await context.close();
    }
} finally {
  await browser.close();
  await daemon.stop();
  await rm(folder, { recursive: true });
}
