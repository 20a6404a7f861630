import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { codeFor, type signedIn } from '../../support/console-browser.ts';
import type { Daemon } from '../../support/daemon-process.ts';

/** Waits until a view of the console shows everything. */
export async function loaded(page: Page): Promise<void> {
  await page.locator('body:has(h1):not(:has(.loading))').waitFor();
}

/** Nothing ran that should not, no policy was violated, and nothing was asked of another place. Closes the page. */
export async function expectClean({
  page,
  problems,
  elsewhere,
  context,
}: Awaited<ReturnType<typeof signedIn>>): Promise<void> {
  expect({ problems, elsewhere, title: await page.title() }).toEqual({
    problems: [],
    elsewhere: [],
    title: expect.stringMatching(/ · Ambit$/),
  });
  await context.close();
}

/** Enters a code into the dialog that asks for one to unlock the session, and presses its button. */
export async function unlockBy(page: Page, daemon: Daemon, action: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Code').fill(await codeFor(daemon, 'confirm'));
  await dialog.getByRole('button', { name: action, exact: true }).click();
}
