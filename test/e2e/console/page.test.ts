// Threat model: T223

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { sharedBrowser } from '../../support/browser.ts';
import { axeFindings, codeFor, hasChromium, openPage, signedIn } from '../../support/console-browser.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { isWhole } from '../../support/whole.ts';
import { expectClean, loaded } from '../support/console.ts';
import { put } from '../support/keeper.ts';
import { patientLimits } from '../support/waiter.ts';

const markup = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
const disguised = 'safe\u202Etxt.exe\u200B\u001B[31mred';
const shown = 'safeU+202Etxt.exeU+200B U+001B[31mred';
/** In JSON, where an escape has a number of its own. */
const shownInJson = 'safeU+202Etxt.exeU+200B\\u001b[31mred';

/** A skill whose every text tries to become markup, a link, or something that cannot be seen. */
const hostile = {
  'SKILL.md': `---\nname: hostile\ndescription: '${markup} javascript:alert(1) \u202Etxt.exe\u200B'\nlicense: '${markup}'\n---\n# ${markup}\n[click](javascript:alert(1)) ${disguised}\n`,
  [`${markup.replaceAll('/', '_')}${'x'.repeat(150)}.txt`]: `${markup}\n${disguised}\n`,
  ...pythonSkill(
    `print('log ${markup}', file=sys.stderr)\nprint(json.dumps({'text': given['${'<b>'}'], 'line': 'x' * 1000000}))`,
    {
      input: {
        type: 'object',
        properties: { '<b>': { type: 'string', description: `${markup} \u202Etxt` } },
      },
    },
  ),
};

const waits = pythonSkill(
  `print('begun', file=sys.stderr, flush=True)\nwhile not os.path.exists(given['until']): time.sleep(0.05)\nprint('1')`,
  { capabilities: { exec: ['python3'], filesystem: { read: ['granted'] } }, limits: patientLimits },
);

type Look = [colorScheme: 'light' | 'dark', width: number];

/** Each theme and each layout once; the whole corpus has each layout in each theme. */
const looks: Look[] = [
  ['light', 1280],
  ['dark', 390],
];
const otherLooks: Look[] = [
  ['light', 390],
  ['dark', 1280],
];

describe.skipIf(!hasChromium)('the console (needs Chromium)', () => {
  let folder = '';
  const daemon = sharedDaemon(async (skills) => {
    const quiet = '---\nname: quiet\ndescription: Adds.\ndisable-model-invocation: maybe\n---\n';
    await writeSkills(skills, {
      hostile,
      waits,
      quiet: { 'SKILL.md': quiet },
      sum: pythonSkill("print(given['a'] + given['b'])"),
    });
    folder = join(dirname(skills), 'files');
    await mkdir(folder);
    return {
      skills: [{ path: skills, tier: 'local' }],
      grants: { waits: { filesystem: { read: [folder] } }, trusted: { host: true, user: 'nobody' } },
    };
  });
  const browser = sharedBrowser();

  test('an operator signs in with a code that works once, and signs out', async () => {
    const opened = await openPage(browser(), daemon());
    const { page } = opened;
    const code = await codeFor(daemon(), 'sign-in');
    await page.goto(`${daemon().url}/console/#code=${code}`);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(page.url()).toBe(`${daemon().url}/console/`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('Or paste the address or its code').fill(`${daemon().url}/console/#code=${code}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('Invalid code');
    // In a tab that shows the console, only the hash of the address changes.
    await page.goto(`${daemon().url}/console/#code=${await codeFor(daemon(), 'sign-in')}`);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(page.url()).toBe(`${daemon().url}/console/`);
    await expectClean(opened);
  });

  test('a session that is revoked while its page is open is signed out', async () => {
    const { page, context } = await signedIn(browser(), daemon(), '/console/runs');
    await page.getByRole('button', { name: 'Live: pause' }).waitFor();
    const { body } = await daemon().request('GET', '/console/sessions');
    const [{ id }] = body.sessions.slice(-1);
    const headers = { authorization: `Bearer ${daemon().key}` };
    const { status } = await fetch(`${daemon().url}/console/sessions/${id}`, { method: 'DELETE', headers });
    expect(status).toBe(204);
    await page.getByText('Your session has ended.').waitFor();
    await context.close();
  });

  test('a tab without the second half of a session is signed out', async () => {
    const { context } = await signedIn(browser(), daemon());
    const other = await context.newPage();
    await other.goto(`${daemon().url}/console/`);
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await context.close();
  });

  test('a running call appears by itself, shows its output, and changes when it ends', async () => {
    const opened = await signedIn(browser(), daemon(), '/console/runs?skill=waits');
    const { page } = opened;
    await page.getByText('No run matches').waitFor();
    const until = join(folder, 'go');
    // Its client waits for the whole response.
    const ended = daemon().execute('waits', { input: { until } });
    await page.locator('tbody').getByText('running').waitFor();
    await page.getByRole('link', { name: 'waits' }).first().click();
    await page.getByRole('heading', { name: 'Output so far' }).waitFor();
    await page.getByText('begun').first().waitFor();
    await writeFile(until, '');
    await page.locator('dl').getByText('succeeded').waitFor();
    await page.goBack();
    await page.locator('tbody').getByText('succeeded').waitFor();
    expect((await ended).body.outcome).toEqual({ status: 'succeeded', output: 1 });
    await expectClean(opened);
  });

  test('requests of an unused tab do not count as use of its session, and the next one after a key does', async () => {
    const { page, context } = await signedIn(browser(), daemon(), '/console/runs');
    await loaded(page);
    const isBackground = async (): Promise<boolean> => {
      const reload = page.waitForRequest('**/audit/count*');
      await daemon().execute('sum', { input: { a: 1, b: 2 } });
      return 'ambit-background' in (await reload).headers();
    };
    expect(await isBackground()).toBe(true);
    await page.keyboard.press('Tab');
    const counted = page.waitForRequest((request) => !('ambit-background' in request.headers()));
    await isBackground();
    expect((await counted).headers()).toHaveProperty('ambit-session');
    await context.close();
  });

  test('a slow answer is shown although the log grows meanwhile, and then loads again', async () => {
    const opened = await signedIn(browser(), daemon());
    const { page } = opened;
    // A console that is open loads again whenever its stream opens, and such a request would be held in place of the first.
    await page.goto('about:blank');
    // One route for the whole test: when an expiring route is done, Playwright releases what the others hold.
    const waiting: ((route: Route) => void)[] = [];
    await page.route('**/audit?limit=*', (route) => {
      const hold = waiting.shift();
      return hold === undefined ? route.continue() : hold(route);
    });
    const held = () => new Promise<Route>((resolve) => waiting.push(resolve));
    const slow = held();
    await page.goto(`${daemon().url}/console/`);
    const first = await slow;
    const again = held();
    const others = page.waitForRequest('**/audit/stats?since=24h');
    const { body } = await daemon().execute('sum', { input: { a: 1, b: 2 } });
    await others;
    await first.continue();
    await page.locator('tbody tr').first().waitFor();
    await (await again).continue();
    await page.locator(`a[href$="${body.executionId}"]`).waitFor();
    await expectClean(opened);
  });

  test('a refusal shows the line that grants it, which can be copied', async () => {
    await daemon().execute('waits', { input: { until: '/' }, capabilities: {} });
    const { body } = await daemon().execute('web-fetch', { input: { url: 'https://a.example/' } });
    const opened = await signedIn(browser(), daemon(), `/console/runs/${body.executionId}`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = opened;
    await page.getByRole('heading', { name: /Refused: / }).waitFor();
    await page.getByText('the hosts or folders that the skill may use').waitFor();
    await page.getByRole('button', { name: 'Copy the line that grants it' }).first().click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^grants: \{ web-fetch: /);
    await page.getByRole('link', { name: 'name one to get its line' }).click();
    await page.getByLabel('Host, path or name').fill('docs.example');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('grants: { web-fetch: { network: [docs.example] } }').waitFor();
    await expectClean(opened);
  });

  test('a receipt is verified in the page, and a changed one is not', async () => {
    const { body } = await daemon().execute('sum', { input: { a: 1, b: 2 } });
    const opened = await signedIn(browser(), daemon(), `/console/runs/${body.executionId}`);
    const { page } = opened;
    const verify = page.getByRole('button', { name: 'Verify the receipt' });
    await verify.click();
    await page.getByText('the signature is valid').waitFor();
    await page.route('**/receipt', async (route) => {
      const response = await route.fetch();
      const receipt = await response.json();
      await route.fulfill({ json: { ...receipt, statement: { ...receipt.statement, actor: 'someone' } } });
    });
    await verify.click();
    await page.getByText('the signature does not match').waitFor();
    await expectClean(opened);
  });

  test('a call is found by its text and by its key, a prompt is composed, and a skill is found in the catalog', async () => {
    await daemon().execute('sum', { input: { a: 40, b: 2, note: 'needle-in-a-stack' } });
    const opened = await signedIn(browser(), daemon(), '/console/runs');
    const { page } = opened;
    await page.getByLabel('Text in input or output').fill('needle-in-a-stack');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('1 matching').waitFor();
    expect(page.url()).toContain('text=needle-in-a-stack');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export as CSV' }).click();
    expect((await saved).suggestedFilename()).toMatch(/^runs-\d{4}-[\d-]{5}T[\d-]{8}\.csv$/);
    const csv = await readFile(await (await saved).path(), 'utf8');
    expect(
      csv
        .trim()
        .split('\n')
        .map((line) => /\bsum\b/.test(line)),
    ).toEqual([false, true]);
    await page.getByRole('link', { name: 'Prompt' }).click();
    await page.getByRole('heading', { name: 'Parts, in order' }).waitFor();
    await page.getByLabel('Phase').fill('plan');
    await page.getByRole('button', { name: 'Compose' }).click();
    await page.getByText('is only for the phases').first().waitFor();
    await page.getByRole('link', { name: 'Catalog' }).click();
    await page.getByLabel('Search names and descriptions').fill('quiet');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('local, instructions only, hidden from models, 1 warning').waitFor();
    await page.getByRole('link', { name: 'quiet', exact: true }).click();
    await page.getByText('hidden from models: only people start it').waitFor();
    await page.getByText('disable-model-invocation is neither true nor false').waitFor();
    await page.getByRole('link', { name: 'Catalog' }).first().click();
    await page.getByLabel('Search names and descriptions').fill('redact');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: 'text-redact' }).waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.locator('.mark.bad').getByText('everything that its user may do').waitFor();
    await page.getByRole('link', { name: 'first', exact: true }).click();
    await page.locator('tbody').getByText('sum').first().waitFor();
    await expectClean(opened);
  });

  test('a session runs a skill only after a code from a terminal', async () => {
    const opened = await signedIn(browser(), daemon(), '/console/catalog/sum');
    const { page } = opened;
    await page.getByLabel('Input, as JSON').fill('{"a":20,"b":22}');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Code').fill('guessed');
    await page.getByRole('button', { name: 'Run it' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page
      .getByRole('dialog')
      .getByLabel('Code')
      .fill(await codeFor(daemon(), 'confirm'));
    await page.getByRole('button', { name: 'Run it' }).click();
    await page.getByLabel('Output', { exact: true }).getByText('42', { exact: true }).waitFor();
    await expectClean(opened);
  });

  test('an operator sees what an update changes, and approves it only with a code from a terminal', async () => {
    const source = join(folder, 'notes');
    const report = (network: readonly string[]) =>
      pythonSkill("print(json.dumps('report'))", { capabilities: { exec: ['python3'], network } });
    await writeSkills(source, { report: report([]) });
    const install = (path: string, body: unknown) => daemon().request('POST', `/installs${path}`, { body });
    await install('', { source, namespace: 'notes' });
    const first = (await daemon().request('GET', '/installs/notes:report')).body;
    await install('/notes:report/approve', { digest: first.digest, review: first.review });
    await writeSkills(source, { report: report(['reports.example']) });
    await install('/update', { skills: ['notes:report'] });
    // A second tab, in which the same update waits to be approved.
    const late = await signedIn(browser(), daemon(), '/console/approvals/notes:report');
    await late.page.getByRole('button', { name: 'Approve…' }).click();

    const opened = await signedIn(browser(), daemon());
    const { page } = opened;
    await page.getByRole('link', { name: 'Approvals' }).click();
    await page.getByRole('link', { name: 'notes:report' }).click();
    await page.getByText('network reports.example').first().waitFor();
    await page.locator('.diff .added').getByText('reports.example').first().waitFor();
    await page.getByRole('button', { name: 'Approve…' }).click();
    await page.getByLabel('Code').fill('guessed');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    const { digest, review, skill } = (await daemon().request('GET', '/installs/notes:report')).body;
    expect(skill.state).toBe('waiting');
    const decision = `approve notes:report@${digest}@${review}`;
    await page.getByRole('dialog').getByText(`ambit console confirm ${decision}`).waitFor();
    await page.getByLabel('Code').fill(await codeFor(daemon(), 'confirm', { decision }));
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByRole('status').getByText('Approved').waitFor();
    await page.getByRole('link', { name: 'Back to the approvals' }).click();
    await page.getByText('Nothing waits for you.').waitFor();
    await page.getByText('skill.approved').first().waitFor();
    await expectClean(opened);

    await late.page.getByLabel('Code').fill(await codeFor(daemon(), 'confirm', { decision }));
    await late.page.getByRole('button', { name: 'Approve', exact: true }).click();
    await late.page.getByRole('dialog').getByText('notes:report has changed since that review').waitFor();
    const approvals = await daemon().request('GET', '/audit/events?kind=skill.approved');
    expect(approvals.body.events).toHaveLength(2);
    await expectClean(late);
  });

  test('a page whose execution vanishes reports that, and leaves what was read', async () => {
    const { body } = await daemon().execute('sum', { input: { a: 1, b: 2 } });
    const opened = await signedIn(browser(), daemon(), `/console/runs/${body.executionId}`);
    const { page } = opened;
    await page.getByRole('button', { name: 'Verify the receipt' }).waitFor();
    // The daemon answers as after a pruning.
    await page.route(`**/audit/${body.executionId}**`, (route) =>
      route.continue({ url: route.request().url().replace(body.executionId, 'pruned') }),
    );
    await page.getByRole('button', { name: 'Verify the receipt' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('heading', { name: 'Capabilities' }).count()).toBe(1);
    await page.reload();
    await page.getByText('the log has no execution "pruned"').waitFor();
    await expectClean(opened);
  });

  const clocks: [name: string, ms: number][] = [
    ['ahead', 3_600_000],
    ['behind', -3_600_000],
  ];
  test.each(isWhole ? clocks : clocks.slice(0, 1))(
    'a browser whose clock is an hour %s shows ages and the end of an unlocked session right',
    async (_, ms) => {
      const opened = await openPage(browser(), daemon());
      const { page } = opened;
      await page.clock.install({ time: Date.now() + ms });
      await page.goto(`${daemon().url}/console/#code=${await codeFor(daemon(), 'sign-in')}`);
      await page.getByRole('heading', { name: 'Home' }).waitFor();
      await page.getByRole('link', { name: 'Audit', exact: true }).click();
      await page.getByRole('button', { name: 'Verify the whole log now' }).click();
      await page
        .getByText(/^(now|\d+ seconds? ago)$/)
        .first()
        .waitFor();
      await page.goto(`${daemon().url}/console/catalog/sum`);
      await page.getByLabel('Input, as JSON').fill('{"a":20,"b":22}');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByLabel('Code').fill(await codeFor(daemon(), 'confirm'));
      await page.getByRole('button', { name: 'Run it' }).click();
      await page.getByLabel('Output', { exact: true }).getByText('42', { exact: true }).waitFor();
      const until = await page.getByText('may run skills until').locator('time').getAttribute('datetime');
      expect(Math.abs(Date.parse(until ?? '') - Date.now() - 15 * 60_000)).toBeLessThan(60_000);
      await page.goto(`${daemon().url}/console/runs?since=1h`);
      const started = page.locator('tbody time').first();
      // Without its date, which it has on any other day.
      expect(await started.textContent()).toMatch(/^\d\d:\d\d:\d\d$/);
      expect(await started.getAttribute('title')).toMatch(/\((now|\d+ seconds? ago)\)$/);
      await expectClean(opened);
    },
  );

  test('a read-only session says on each view what it cannot do', async () => {
    const until = join(folder, 'read');
    const { body } = await daemon().request('POST', '/skills/waits/execute', {
      body: { input: { until } },
      headers: { prefer: 'respond-async' },
    });
    const config = join(daemon().dataDir, '../ambit.config.yaml');
    const { stdout } = await ambit(['console', '--read-only', '--config', config]);
    const opened = await openPage(browser(), daemon());
    const { page } = opened;
    await page.goto(stdout.trim());
    await page.locator('header').getByText('read-only').waitFor();
    for (const [path, cannot] of [
      [`runs/${body.executionId}`, 'follow running calls'],
      ['catalog/sum', 'run skills'],
      ['workspaces', 'see workspaces'],
      ['workspaces/unknown', 'see workspaces'],
      ['settings', 'see the configuration'],
    ] as const) {
      await page.goto(`${daemon().url}/console/${path}`);
      await page.getByText(`This session is read-only, so it cannot ${cannot}`).waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
    }
    expect(await page.getByRole('button', { name: /^(Run|Cancel this run|Ask)$/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.locator('tbody').getByText('running').first().waitFor();
    await writeFile(until, '');
    await expectClean(opened);
  });

  test('every text of a hostile skill is shown as text, and nothing of it is obeyed', async () => {
    const { body } = await daemon().execute('hostile', { input: { '<b>': `${markup} ${disguised}` } });
    const opened = await signedIn(browser(), daemon(), `/console/runs/${body.executionId}`);
    const { page } = opened;
    await page.getByText(shownInJson).first().waitFor();
    expect(await page.locator('main').textContent()).toContain('onerror=');
    const made = page.locator('main img, main script, main a[href^="javascript"]');
    for (const path of ['catalog', 'catalog/hostile']) {
      await page.goto(`${daemon().url}/console/${path}`);
      await page.getByText('document.title=2').first().waitFor();
      expect(await made.count()).toBe(0);
    }
    await page.goto(`${daemon().url}/console/prompt?a.disclosure=bodies`);
    await page.getByRole('heading', { name: 'Parts, in order' }).waitFor();
    expect(await made.count()).toBe(0);
    const unknown = await daemon().request('POST', `/skills/${encodeURIComponent('a\u202Etxt')}/execute`, {
      body: {},
    });
    await page.goto(`${daemon().url}/console/runs/${unknown.body.executionId}`);
    await page.getByRole('heading', { name: 'Run of aU+202Etxt' }).waitFor();
    expect(await page.title()).toBe('Run of aU+202Etxt · Ambit');
    await page.goto(`${daemon().url}/console/catalog/hostile`);
    await page.getByRole('button', { name: '<img' }).click();
    await page.getByText(shown).first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await expectClean(opened);
  });

  test('axe finds nothing on any view in either theme, and none is wider than a narrow or a wide window', async () => {
    const { body } = await daemon().execute('sum', { input: { a: 1, b: 2 } });
    const workspace = (await daemon().request('POST', '/workspaces', { body: { label: 'report' } })).body.id;
    await put(daemon(), workspace, 'long-name'.repeat(20), 'text');
    const opened = await signedIn(browser(), daemon());
    const { page } = opened;
    const found: string[] = [];
    const views = [
      '',
      'runs',
      `runs/${body.executionId}`,
      'approvals',
      'catalog',
      'catalog/sum',
      'workspaces',
      `workspaces/${workspace}`,
      'prompt',
      'audit',
      'settings?skill=sum&kind=network&item=a.example',
    ];
    for (const view of views) {
      await page.goto(`${daemon().url}/console/${view}`);
      await loaded(page);
      for (const [colorScheme, width] of isWhole ? [...looks, ...otherLooks] : looks) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        const where = `${view}, ${colorScheme} at ${width}`;
        found.push(...(await axeFindings(page)).map((finding) => `${where}: ${finding}`));
        if (wide) found.push(`${where}: wider than the window`);
      }
    }
    expect(found).toEqual([]);
    await expectClean(opened);
  });

  test('works with the keyboard alone, with the focus on the heading of each view', async () => {
    const opened = await signedIn(browser(), daemon());
    const { page } = opened;
    await loaded(page);
    await page.keyboard.press('Shift+Tab');
    await page.getByRole('link', { name: 'Runs', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    await page.locator(':focus', { hasText: /^Runs$/ }).waitFor();
    await expectClean(opened);
  });
});
