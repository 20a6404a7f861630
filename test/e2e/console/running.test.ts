// Threat model: T408

import { createHash, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import type { Download, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { sharedBrowser } from '../../support/browser.ts';
import { axeFindings, hasChromium, signedIn } from '../../support/console-browser.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { expectClean, loaded, unlockBy } from '../support/console.ts';
import { get } from '../support/keeper.ts';

const mebibyte = 1024 ** 2;
const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const saved = async (download: Promise<Download>) => readFile(await (await download).path());

/** A valid PNG of one pixel. */
const png = pngOf(Buffer.from([0, 255, 0, 0]));
/** Bytes that begin like an image and continue like a page. */
const polyglot = Buffer.from('GIF89a<script>document.title=1</script>\xff', 'latin1');
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" onload="document.title=2"><script>document.title=3</script></svg>';

/** Writes the bytes that it is called with, in base64, to stdout. */
const writes = `import base64, sys\nsys.stdout.buffer.write(base64.b64decode(sys.argv[1]))\n`;

const worker = {
  'scripts/run.py': writes,
  // Lists leave out tests.
  'tests/deep/check.py': [
    'import hashlib, json, os, sys',
    'print(json.dumps(sys.argv[1:]))',
    'print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())',
    'for name in sorted(os.listdir(".")): print(name, hashlib.sha256(open(name, "rb").read()).hexdigest())',
    `open('made.png', 'wb').write(bytes(${JSON.stringify([...png])}))`,
    "open('naïve.txt', 'w').write('made\\n')",
  ].join('\n'),
  'scripts/sleep.py': 'import time\ntime.sleep(600)\n',
  // Catches the lack, and succeeds.
  'scripts/lacks.sh': '#!/bin/sh\ncommand -v git >/dev/null || echo "no git"\n',
  'scripts/fails.py':
    'import subprocess, sys\ntry: subprocess.run(["git", "--version"])\nexcept FileNotFoundError as error: sys.exit(str(error))\n',
};

describe.skipIf(!hasChromium)('running a skill in the console (needs Chromium)', () => {
  const daemon = sharedDaemon(async (skills) => {
    await writeSkills(skills, {
      worker,
      unlisted: { 'examples/demo.py': 'print("shown")\n' },
      modest: pythonSkill('print(json.dumps(given))', {
        limits: { timeoutMs: 5000, memoryBytes: 64 * mebibyte },
      }),
    });
    return {
      bundledSkills: false,
      skills: [{ path: skills, tier: 'local' }],
      // A busy machine needs more than the usual default.
      tiers: { local: { timeoutMs: { default: '10m', max: '15m' } } },
    };
  });
  const browser = sharedBrowser();

  /** Presses Run, and waits for the end. */
  const run = async (page: Page, ended: string, isLocked = false): Promise<void> => {
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    if (isLocked) await unlockBy(page, daemon(), 'Run it');
    await page.getByRole('status').getByText(ended).waitFor();
  };
  const result = (page: Page) => page.getByRole('region', { name: 'Result' });

  test('any program file runs by a command, with bytes on stdin and large files that the browser streams into a workspace', async () => {
    const folder = await temporaryFolder();
    // Larger than the largest JSON body.
    const big = randomBytes(24 * mebibyte);
    const stdin = randomBytes(1000);
    await writeFile(join(folder, 'big.bin'), big);
    await writeFile(join(folder, 'stdin.bin'), stdin);
    const opened = await signedIn(browser(), daemon(), '/console/catalog/worker');
    const { page } = opened;
    await page.getByLabel('What to run').selectOption({ label: 'a command, for any program of it' });
    await page
      .getByRole('textbox', { name: 'Command:' })
      .fill(`python3 tests/deep/check.py --all 'two words'`);
    await page.getByLabel('Standard input from a file').setInputFiles(join(folder, 'stdin.bin'));
    await page.getByLabel('Files for the run').setInputFiles(join(folder, 'big.bin'));
    await run(page, 'succeeded', true);
    const printed = ['["--all", "two words"]', digestOf(stdin), `big.bin ${digestOf(big)}`].join('\n');
    await result(page).getByLabel('Standard output').getByText(printed).waitFor();

    // The result has what the run made: an image to look at, and text to read, each to be saved.
    await result(page).getByText('made.png (created').click();
    const image = result(page).getByRole('img', { name: 'Made by the skill: made.png' });
    await image.waitFor();
    expect(await image.evaluate((img) => (img as unknown as { naturalWidth: number }).naturalWidth)).toBe(1);
    const download = page.waitForEvent('download');
    await result(page).getByRole('button', { name: 'Save made.png' }).click();
    expect((await download).suggestedFilename()).toBe('made.png');
    expect(await saved(download)).toEqual(png);
    await result(page).getByRole('link', { name: 'Open the workspace' }).click();
    for (const name of ['big.bin', 'made.png', 'naïve.txt'])
      await page.getByRole('cell', { name, exact: true }).waitFor();
    const [{ id, label }] = (await daemon().request('GET', '/workspaces')).body.workspaces;
    expect(label).toBe('files for worker');
    expect(digestOf((await get(daemon(), id, 'big.bin')).body)).toBe(digestOf(big));
    expect((await get(daemon(), id, encodeURIComponent('naïve.txt'))).body.toString()).toBe('made\n');

    // A later run in the same workspace begins with its files.
    await page.goto(`${daemon().url}/console/catalog/worker`);
    await page.getByLabel('What to run').selectOption({ label: 'a command, for any program of it' });
    await page.getByRole('textbox', { name: 'Command:' }).fill('tests/deep/check.py');
    await page.getByLabel('Workspace').selectOption({ label: 'files for worker' });
    await run(page, 'succeeded');
    await result(page)
      .getByText(`made.png ${digestOf(png)}`)
      .waitFor();
    await expectClean(opened);
  });

  test('a command that is code is refused with the reason, and what it may be', async () => {
    const opened = await signedIn(browser(), daemon(), '/console/catalog/worker');
    const { page } = opened;
    await page.getByLabel('What to run').selectOption({ label: 'a command, for any program of it' });
    await page.getByRole('textbox', { name: 'Command:' }).fill(`python3 -c 'print(1)'`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await unlockBy(page, daemon(), 'Run it');
    await page.getByRole('alert').getByText('takes none that chooses code, packages or a version').waitFor();
    await expectClean(opened);
  });

  test('a program runs also if lists leave out all programs of its skill', async () => {
    const opened = await signedIn(browser(), daemon(), '/console/catalog/unlisted');
    const { page } = opened;
    await page.getByRole('textbox', { name: 'Command:' }).fill('examples/demo.py');
    await run(page, 'succeeded', true);
    await result(page).getByText('shown').waitFor();
    await expectClean(opened);
  });

  test('a call of a program that is in no list is run again as the command that it was', async () => {
    const args = ['--all', "it's two words", ''];
    const { body } = await daemon().execute('worker', { script: 'tests/deep/check.py', args });
    const opened = await signedIn(browser(), daemon(), `/console/runs/${body.executionId}`);
    const { page } = opened;
    await page.getByRole('button', { name: 'Run again…' }).click();
    const command = page.getByRole('textbox', { name: 'Command:' });
    await command.waitFor();
    expect(await command.inputValue()).toBe(`tests/deep/check.py --all 'it'\\''s two words' ''`);
    await run(page, 'succeeded', true);
    await result(page).getByText(`["--all", "it's two words", ""]`).waitFor();
    await expectClean(opened);
  });

  test('a call gets the memory and time that are filled in, up to the shown maximum, and says what raises the limit that ended it', async () => {
    const opened = await signedIn(browser(), daemon(), '/console/catalog/modest');
    const { page } = opened;
    await page.getByLabel('Memory in MiB (empty: 64; at most 2048)').waitFor();
    await page.getByLabel('Time in seconds (empty: 5; at most 900)').waitFor();
    await page.goto(`${daemon().url}/console/catalog/worker`);
    const memory = page.getByLabel('Memory in MiB (empty: 512; at most 2048)');
    const time = page.getByLabel('Time in seconds (empty: 600; at most 900)');
    await page.getByLabel('What to run').selectOption({ label: 'scripts/sleep.py' });
    await memory.fill('4096');
    await time.fill('0.5');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('input[name=memory]:invalid:focus').waitFor();
    await memory.fill('100');
    await run(page, 'timed out', true);
    await page.getByText('To raise timeoutMs to 1s: call it with --timeout 1s').waitFor();
    const [{ executionId, limits }] = await daemon().audit('?skill=worker&outcome=timed-out');
    expect([limits.memoryBytes, limits.timeoutMs]).toEqual([100 * mebibyte, 500]);
    await page.getByRole('link', { name: 'show the run' }).click();
    await page.getByRole('heading', { name: 'Stopped by a limit' }).waitFor();
    expect(page.url()).toContain(executionId);
    await expectClean(opened);
  });

  test('what a run swallowed and why it failed is shown where it was started and on its page, with the command that grants it', async () => {
    const opened = await signedIn(browser(), daemon(), '/console/catalog/worker');
    const { page } = opened;
    await page.getByLabel('What to run').selectOption({ label: 'scripts/lacks.sh' });
    await run(page, 'succeeded', true);
    await result(page).getByRole('heading', { name: 'Missing programs' }).waitFor();
    await page.getByLabel('What to run').selectOption({ label: 'scripts/fails.py' });
    await run(page, 'failed: exit code 1');
    await result(page).getByRole('heading', { name: 'What may help' }).waitFor();
    await page.getByRole('link', { name: 'show the run' }).click();
    await page.getByRole('heading', { name: 'What may help' }).waitFor();
    await page.getByText('ambit skills propose worker --write').waitFor();
    const [{ executionId }] = await daemon().audit('?skill=worker&outcome=failed');
    const { hint } = (await daemon().request('GET', `/executions/${executionId}`)).body.result;
    await page.getByText(hint).waitFor();
    await loaded(page);
    expect(await axeFindings(page)).toEqual([]);
    await expectClean(opened);
  });

  const outputs: [what: string, bytes: Buffer, name: string, isImage: boolean][] = [
    ['an image', png, 'stdout.png', true],
    ['a page that begins like an image', polyglot, 'stdout.gif', true],
    [
      'a page that is not UTF-8',
      Buffer.from('<html><img src=x onerror="document.title=4">\xff', 'latin1'),
      'stdout',
      false,
    ],
  ];
  test.each(outputs)(
    'bytes on stdout that are %s are saved exactly, and never become markup',
    async (_, bytes, name, isImage) => {
      const { executionId } = (
        await daemon().request('POST', '/skills/worker/execute', {
          body: { script: 'run.py', args: [bytes.toString('base64')] },
          headers: { prefer: 'respond-async' },
        })
      ).body;
      await daemon().request('GET', `/executions/${executionId}?wait=60`);
      const opened = await signedIn(browser(), daemon(), `/console/runs/${executionId}`);
      const { page } = opened;
      await loaded(page);
      const save = page.getByRole('button', { name: `Save ${name}`, exact: true }).first();
      const download = page.waitForEvent('download');
      await save.click();
      expect((await download).suggestedFilename()).toBe(name);
      expect(await saved(download)).toEqual(bytes);
      // Each is shown where the response is, and where the stored output is.
      expect(await page.locator('main img').count()).toBe(isImage ? 2 : 0);
      expect(await page.locator('main script, main svg script').count()).toBe(0);
      await expectClean(opened);
    },
  );

  test('an SVG is shown as its text', async () => {
    const { body } = await daemon().execute('worker', {
      script: 'run.py',
      args: [Buffer.from(svg).toString('base64')],
    });
    const opened = await signedIn(browser(), daemon(), `/console/runs/${body.executionId}`);
    const { page } = opened;
    await page.getByText(svg).first().waitFor();
    await page.getByText('The daemon no longer stores the response').waitFor();
    expect(await page.locator('main img, main svg[onload]').count()).toBe(0);
    await expectClean(opened);
  });
});

/** Makes a picture of one pixel: its row has a filter and three colours. */
function pngOf(row: Buffer): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const typed = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(typed));
    return Buffer.concat([length, typed, sum]);
  };
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  const start = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    start,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(row)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
