// Threat model: T138

import { createHash } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { type ArchiveEntry, zipOf } from '../testing/archives.ts';
import { openedSkills } from '../testing/opened-skills.ts';
import { serving } from '../testing/serving.ts';

const skill: ArchiveEntry = { path: 'docx/SKILL.md', content: '---\nname: docx\ndescription: d\n---\n' };

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

test.each([
  ['this machine', '127.0.0.1'],
  ['this machine, in IPv6', '::1'],
  ['this machine, as IPv4 in IPv6', '::ffff:127.0.0.1'],
  ['a private network', '10.0.0.1'],
  ['a home network', '192.168.1.1'],
  ['a private network, in IPv6', 'fd00::1'],
  ['a carrier’s network', '100.64.0.1'],
  ['the metadata service', '169.254.169.254'],
  ['no address', '0.0.0.0'],
])(
  'a name of %s is never connected to, by an archive, a redirect or git; a public one is',
  async (_, address) => {
    const near = await serving(
      (_request, response) => void response.writeHead(302, { location: 'https://inner.example/a.zip' }).end(),
    );
    const dialled: string[] = [];
    const open = (typed: string, resolved: string) =>
      openedSkills(typed, { network: ['*.example', near], names: { 'inner.example': [resolved] }, dialled });
    for (const typed of ['https://inner.example/a.zip', `${near}/a.zip`, 'https://inner.example/acme/skills'])
      await expect(open(typed, address)).rejects.toMatchObject({
        code: 'SOURCE_NOT_ALLOWED',
        message: expect.stringContaining('inner.example'),
      });
    expect(dialled).toEqual([new URL(near).host]);
    // Nothing answers there, but it is connected to.
    await expect(open('https://inner.example/a.zip', '93.184.215.14')).rejects.toMatchObject({
      code: 'SOURCE_UNREACHABLE',
    });
    expect(dialled.slice(1)).toEqual(['93.184.215.14:443']);
  },
);
