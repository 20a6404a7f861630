import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type ArchiveEntry, zipOf } from '../testing/archives.ts';
import { openedSkills } from '../testing/opened-skills.ts';
import { serving } from '../testing/serving.ts';

const skill: ArchiveEntry = { path: 'docx/SKILL.md', content: '---\nname: docx\ndescription: d\n---\n' };

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-installs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Opens a source, and lists the folders of its skills. */
async function opened(typed: string, network: readonly string[] = []) {
  const { skills, resolved } = await openedSkills(typed, { network });
  return { folders: Object.keys(skills), resolved };
}

test('reads an archive and a folder of this machine, and refuses a path where nothing is', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'a.zip');
  await writeFile(file, zipOf([skill]));
  expect(await opened(file)).toEqual({ folders: ['docx'], resolved: null });
  expect(await opened(folder)).toEqual({ folders: [], resolved: null });
  await expect(opened(join(folder, 'b.zip'))).rejects.toMatchObject({ code: 'SOURCE_MISSING' });
});

test('fetches an archive through redirects to allowed hosts, and leaves nothing behind', async () => {
  const bytes = zipOf([skill]);
  const temporary = await temporaryFolder();
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const base = await serving((request, response) => {
    if (request.url === '/moved.zip') response.writeHead(302, { location: '/a.zip' }).end();
    else if (request.url === '/a.zip') response.end(bytes);
    else response.writeHead(404).end();
  });
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  expect(await opened(`${base}/moved.zip`, [base])).toEqual({ folders: ['docx'], resolved: { sha256 } });
  await expect(opened(`${base}/none.zip`, [base])).rejects.toMatchObject({
    code: 'SOURCE_UNREACHABLE',
    message: `${base}/none.zip was answered with status 404`,
  });
  expect(await readdir(temporary)).toEqual([]);
});

test('refuses hosts that are not allowed, also by a redirect, and says how to allow them', async () => {
  const far = await serving((_, response) => void response.end(zipOf([skill])));
  const near = await serving(
    (_, response) => void response.writeHead(302, { location: `${far}/a.zip` }).end(),
  );
  const refused = { code: 'SOURCE_NOT_ALLOWED', message: expect.stringContaining('installs: { network: [') };
  await expect(opened(`${near}/a.zip`)).rejects.toMatchObject(refused);
  await expect(opened(`${near}/a.zip`, [near])).rejects.toMatchObject(refused);
  expect((await opened(`${near}/a.zip`, [near, far])).folders).toEqual(['docx']);
});

test('refuses a file that is no archive, and a redirect without end', async () => {
  const base = await serving((request, response) => {
    if (request.url === '/loop.zip') response.writeHead(302, { location: '/loop.zip' }).end();
    else response.end('hello');
  });
  await expect(opened(`${base}/loop.zip`, [base])).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' });
  await expect(opened(`${base}/a.zip`, [base])).rejects.toMatchObject({ code: 'SOURCE_UNSUPPORTED' });
});
