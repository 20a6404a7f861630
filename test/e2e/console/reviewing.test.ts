import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sharedBrowser } from '../../support/browser.ts';
import { axeFindings, hasChromium, signedIn } from '../../support/console-browser.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { expectClean, loaded } from '../support/console.ts';

/** Written for other tools: what it needs, whom it is for, and a line that is not YAML. */
const media = {
  'SKILL.md': `---
name: media
description: Converts media.
argument-hint: [file] [format]
disable-model-invocation: true
metadata: {"openclaw":{"requires":{"bins":["ffmpeg","jq"],"env":["MEDIA_TOKEN"]}}}
---
Run scripts/convert.py.
`,
  'scripts/convert.py': '# /// script\n# requires-python = ">=3.8"\n# ///\nprint("converted")\n',
};

describe.skipIf(!hasChromium)('the review in the console (needs Chromium)', () => {
  const daemon = sharedDaemon(async (path) => {
    await writeSkills(path, { own: { 'scripts/run.sh': '#!/bin/sh\necho done\n' } });
    return {
      bundledSkills: false,
      skills: [{ path, tier: 'local' }],
      tiers: { verified: { timeoutMs: { default: '20s', max: '2m' } } },
      grants: { 'acme:media': { exec: ['jq'] } },
    };
  });
  const browser = sharedBrowser();

  test('shows what a skill declares for other tools with the line that grants it, whom it is hidden from, and the limits that it gets', async () => {
    const source = join(await temporaryFolder(), 'acme');
    await writeSkills(source, { media });
    await daemon().request('POST', '/installs', { body: { source, namespace: 'acme' } });
    const opened = await signedIn(browser(), daemon(), '/console/approvals/acme:media', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = opened;
    const declared = async () => {
      await page.getByText('programs ffmpeg, jq (SKILL.md)').waitFor();
      await page.getByText('variables MEDIA_TOKEN (SKILL.md)').waitFor();
      await page.getByText('Python >=3.8 (scripts/convert.py)').waitFor();
      await page.getByRole('button', { name: 'Copy the line that grants it' }).click();
      await page.getByText('Copied').waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
        'grants: { "acme:media": { env: [MEDIA_TOKEN], exec: [jq, ffmpeg] } }',
      );
    };
    await declared();
    await page.getByText('hidden from models: only people start it').waitFor();
    await page
      .getByText(/argument-hint/)
      .first()
      .waitFor();
    await page.getByRole('heading', { name: 'What it gets once it is approved' }).waitFor();
    await page.getByText(/^scripts\/convert\.py: .*exec python3/).waitFor();
    await page.getByRole('row', { name: /scripts\/convert\.py.* 20\.0 s, at most 2 min 0 s/ }).waitFor();
    await loaded(page);
    expect(await axeFindings(page)).toEqual([]);

    await page.goto(`${daemon().url}/console/catalog/acme:media`);
    await page.getByRole('link', { name: 'read its review' }).waitFor();
    await declared();
    await page.getByText('hidden from models: only people start it').waitFor();
    await expectClean(opened);
  });

  test('the page of a skill shows the limits of its calls, and the command that reviews a skill that is not installed', async () => {
    const opened = await signedIn(browser(), daemon(), '/console/catalog/own');
    const { page } = opened;
    await page
      .getByRole('row', { name: /its scripts 512\.0 MiB, at most 2\.0 GiB 1 min 0 s, at most 10 min 0 s/ })
      .waitFor();
    await page.getByText('ambit skills review own').waitFor();
    await loaded(page);
    expect(await axeFindings(page)).toEqual([]);
    await expectClean(opened);
  });
});
