import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { chromiumProgram } from '../../scripts/bootstrap/system-packages.mjs';
import type { Daemon } from './daemon-process.ts';
import { patienceMs } from './patience.ts';

/** Whether this machine has Chromium. The tests with a browser need it. */
export const hasChromium = chromiumProgram() !== undefined;

/** Nothing that the browser does on its own may leave the machine. */
const flags = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];

/** Starts the browser. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumProgram() ?? '', args: [...flags] });
}

/** A page of the console, and what went wrong in it. */
export interface ConsolePage {
  page: Page;
  /** Errors of scripts, and violations of the content security policy. */
  problems: readonly string[];
  /** Requests to anywhere but the daemon. */
  elsewhere: readonly string[];
  context: BrowserContext;
}

type ContextOptions = Parameters<Browser['newContext']>[0];

/** Opens the console at `path` with a new session, signed in with a code. */
export async function signedIn(
  browser: Browser,
  daemon: Daemon,
  path = '/console/',
  options: ContextOptions = {},
): Promise<ConsolePage> {
  const opened = await openPage(browser, daemon, options);
  const { page } = opened;
  await page.goto(`${daemon.url}/console/#code=${await codeFor(daemon, 'sign-in')}`);
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  if (path !== '/console/') await page.goto(`${daemon.url}${path}`);
  return opened;
}

/** Opens an empty page that notes what goes wrong. */
export async function openPage(
  browser: Browser,
  daemon: Daemon,
  options: ContextOptions = {},
): Promise<ConsolePage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  const [problems, elsewhere]: [string[], string[]] = [[], []];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) problems.push(message.text());
  });
  page.on('dialog', (dialog) => {
    problems.push(`a dialog was opened: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(daemon.url) && !/^(data|blob):/.test(url)) elsewhere.push(url);
  });
  return { page, problems, elsewhere, context };
}

/** A fresh one-time code, as `ambit console` and `ambit console confirm` print it. `more` is part of the request. */
export async function codeFor(
  daemon: Daemon,
  purpose: 'sign-in' | 'confirm',
  more: { decision?: string } = {},
): Promise<string> {
  const { status, body } = await daemon.request('POST', '/console/codes', { body: { purpose, ...more } });
  if (status !== 200) throw new Error(`no code: ${JSON.stringify(body)}`);
  return body.code;
}

const axeSource = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'));

/** Returns the findings of axe in a page, as `RULE: SELECTOR`. */
export async function axeFindings(page: Page): Promise<string[]> {
  // The page's policy allows no foreign scripts; an evaluated one is not subject to it.
  if (!(await page.evaluate(() => 'axe' in globalThis)))
    await page.evaluate(await readFile(axeSource, 'utf8'));
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } };
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target}`));
  });
}

interface AxeResults {
  violations: readonly { id: string; nodes: readonly { target: unknown }[] }[];
}
