// Threat model: T408, T409, T410

import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Download } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { sharedBrowser } from '../../support/browser.ts';
import { hasChromium, signedIn } from '../../support/console-browser.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { expectClean, unlockBy } from '../support/console.ts';
import { contents, get, keep, made, put, shared } from '../support/keeper.ts';

const mebibyte = 1024 ** 2;
const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const saved = async (download: Promise<Download>) => readFile(await (await download).path());

describe.skipIf(!hasChromium)('the workspaces in the console (need Chromium)', () => {
  const daemon = shared();
  const browser = sharedBrowser();

  test('a person creates a workspace, uploads files and a folder unchanged, downloads exact bytes, and deletes it', async () => {
    const folder = await temporaryFolder();
    // Larger than the largest JSON body.
    const big = randomBytes(24 * mebibyte);
    await writeFile(join(folder, 'big.bin'), big);
    await writeFile(join(folder, 'naïve 100%.txt'), 'text\r\n');
    await mkdir(join(folder, 'tree/deep'), { recursive: true });
    await writeFile(join(folder, 'tree/deep/empty'), '');
    await writeFile(join(folder, 'tree/top.txt'), 'top');
    const opened = await signedIn(browser(), daemon(), '/console/workspaces');
    const { page } = opened;
    await page.getByText('There are no workspaces.').waitFor();
    await page.getByLabel('Label').fill('report');
    await page.getByLabel('Size limit in MiB').fill('100');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await unlockBy(page, daemon(), 'Create it');
    await page.getByText('of 100.0 MiB').waitFor();
    const { workspaces } = (await daemon().request('GET', '/workspaces')).body;
    expect(workspaces).toMatchObject([{ label: 'report', quotaBytes: 100 * mebibyte }]);
    const { id } = workspaces[0];

    await page
      .getByLabel('Files', { exact: true })
      .setInputFiles([join(folder, 'big.bin'), join(folder, 'naïve 100%.txt')]);
    await page.getByLabel('Folder in the workspace').fill('in/');
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('cell', { name: 'in/naïve 100%.txt', exact: true }).waitFor();
    await page.getByLabel('A folder with everything in it').setInputFiles(join(folder, 'tree'));
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('cell', { name: 'tree/deep/empty', exact: true }).waitFor();
    const { files } = (await daemon().request('GET', `/workspaces/${id}`)).body;
    expect(files.map(({ path, sha256 }: { path: string; sha256: string }) => [path, sha256])).toEqual([
      ['in/big.bin', digestOf(big)],
      ['in/naïve 100%.txt', digestOf(Buffer.from('text\r\n'))],
      ['tree/deep/empty', digestOf(Buffer.from(''))],
      ['tree/top.txt', digestOf(Buffer.from('top'))],
    ]);

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download in/big.bin' }).click();
    expect((await download).suggestedFilename()).toBe('big.bin');
    expect(digestOf(await saved(download))).toBe(digestOf(big));

    await page.getByRole('button', { name: 'Delete tree/top.txt' }).click();
    await page.getByRole('button', { name: 'Delete the file' }).click();
    await page.getByRole('cell', { name: 'tree/top.txt', exact: true }).waitFor({ state: 'detached' });
    expect((await get(daemon(), id, 'tree/top.txt')).status).toBe(404);
    await page.getByRole('button', { name: 'Delete the workspace…' }).click();
    await page.getByRole('button', { name: 'Delete the workspace', exact: true }).click();
    await page.getByText('There are no workspaces.').waitFor();
    expect((await daemon().request('GET', '/workspaces')).body.workspaces).toEqual([]);
    await expectClean(opened);
  });

  test('what a run leaves appears by itself, with modes and links, and a download of all unpacks to the same', async () => {
    const id = await made(daemon());
    const opened = await signedIn(browser(), daemon(), `/console/workspaces/${id}`);
    const { page } = opened;
    await page.getByText('It has no files yet.').waitFor();
    const long = `${'directory/'.repeat(20)}${'n'.repeat(200)}`;
    const { body } = await keep(
      daemon(),
      id,
      [
        `os.makedirs(os.path.dirname('${long}'))`,
        `open('${long}', 'wb').write(bytes(range(256)))`,
        `open('run.sh', 'w').write('#!/bin/sh')`,
        `os.chmod('run.sh', 0o755)`,
        `os.symlink('../run.sh', 'directory/again')`,
        `os.makedirs('empty/folder')`,
      ].join('\n'),
    );
    expect(body.workspace).toMatchObject({ stored: true });
    await page.getByRole('cell', { name: 'executable file' }).waitFor();
    await page.getByRole('cell', { name: 'link to ../run.sh' }).waitFor();
    await page.getByRole('cell', { name: 'empty folder' }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download all (tar)' }).click();
    expect((await download).suggestedFilename()).toBe(`workspace-${id}.tar`);
    const folder = await temporaryFolder();
    await promisify(execFile)('tar', ['-xf', await (await download).path(), '-C', folder]);
    expect(
      (await readdir(folder, { recursive: true })).filter((path) => !long.startsWith(`${path}/`)).sort(),
    ).toEqual(['directory/again', 'empty', 'empty/folder', long, 'run.sh'].sort());
    expect(await readFile(join(folder, long))).toEqual(
      Buffer.from(Array.from({ length: 256 }, (_, at) => at)),
    );
    expect(await readlink(join(folder, 'directory/again'))).toBe('../run.sh');
    expect((await lstat(join(folder, 'run.sh'))).mode & 0o111).not.toBe(0);
    expect((await lstat(join(folder, long))).mode & 0o111).toBe(0);
    await expectClean(opened);
  });

  test('a download of all is refused if a file has changed since the page listed it, and works for the new list', async () => {
    const id = await made(daemon());
    await put(daemon(), id, 'a.txt', 'one');
    const opened = await signedIn(browser(), daemon(), `/console/workspaces/${id}`);
    const { page } = opened;
    await page.getByRole('cell', { name: 'a.txt', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Live: pause' }).click();
    await put(daemon(), id, 'a.txt', 'changed');
    await page.getByRole('button', { name: 'Download all (tar)' }).click();
    await page.getByRole('alert').getByText('PRECONDITION_FAILED').waitFor();
    await page.getByRole('button', { name: 'Paused: resume' }).click();
    await page.getByRole('cell', { name: '7 B' }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download all (tar)' }).click();
    expect((await saved(download)).includes('changed')).toBe(true);
    await expectClean(opened);
  });

  test('files that are too large are refused before and after they are sent, and a smaller one fits', async () => {
    const id = await made(daemon(), { quotaBytes: mebibyte });
    await put(daemon(), id, 'there', Buffer.alloc(0.75 * mebibyte));
    const opened = await signedIn(browser(), daemon(), `/console/workspaces/${id}`);
    const { page } = opened;
    const upload = async (name: string, bytes: number) => {
      await page
        .getByLabel('Files', { exact: true })
        .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.alloc(bytes) });
      await page.getByRole('button', { name: 'Upload' }).click();
    };
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('alert').getByText('Choose files or a folder first.').waitFor();
    await upload('larger', 1.5 * mebibyte);
    await page.getByRole('alert').getByText('and the workspace holds 1.0 MiB').waitFor();
    await upload('large', 0.5 * mebibyte);
    await unlockBy(page, daemon(), 'Upload');
    await page.getByRole('alert').getByText('WORKSPACE_FULL').waitFor();
    await upload('small', 0.125 * mebibyte);
    await page.getByRole('cell', { name: 'small', exact: true }).waitFor();
    expect(Object.keys(await contents(daemon(), id)).sort()).toEqual(['small', 'there']);
    await expectClean(opened);
  });

  test('a file whose name disguises its kind is shown and saved with its hidden characters named, and its markup is never run', async () => {
    const id = await made(daemon());
    const markup = '<script>document.title=1</script><img src=x onerror="document.title=2">';
    await put(daemon(), id, encodeURIComponent('safe\u202Etxt.exe'), markup);
    await put(daemon(), id, encodeURIComponent('<img src=x onerror="document.title=3">.svg'), markup);
    const opened = await signedIn(browser(), daemon(), `/console/workspaces/${id}`);
    const { page } = opened;
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download safeU+202Etxt.exe' }).click();
    expect((await download).suggestedFilename()).toBe('safeU+202Etxt.exe');
    expect((await saved(download)).toString()).toBe(markup);
    expect(await page.locator('main img, main script').count()).toBe(0);
    await expectClean(opened);
  });
});
