import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { hasChromium, startBrowser } from './console-browser.ts';

/** The browser that all tests of the calling file share. */
export function sharedBrowser(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (!hasChromium) return;
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());
  return () => {
    if (browser === undefined) throw new Error('the shared browser has not started');
    return browser;
  };
}
