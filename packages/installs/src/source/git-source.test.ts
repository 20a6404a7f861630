import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NetworkRule } from '@ambit/core/internal';
import { bubblewrapSandbox, egress } from '@ambit/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { surveySource, writeSkills } from '../index.ts';
import { commit, git, gitServer } from '../testing/git-server.ts';
import { written } from '../testing/written.ts';
import { gitSource } from './git-source.ts';

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-installs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const skillMd = (name: string, description = 'd') => `---\nname: ${name}\ndescription: ${description}\n---\n`;

async function fetch(
  url: string,
  ref: string | undefined,
  network: readonly NetworkRule[] = [new URL(url).origin],
) {
  const sandbox = bubblewrapSandbox();
  const network_ = egress(async () => '');
  onTestFinished(async () => {
    sandbox.close?.();
    await network_.close();
  });
  return gitSource(
    { url, ref },
    {
      sandbox,
      egress: network_,
      network,
      deny: [],
      folder: await temporaryFolder(),
      signal: new AbortController().signal,
    },
  );
}

/** The files of the skills of a commit. */
async function filesOf(url: string, ref?: string) {
  const source = await fetch(url, ref);
  const { skills, refused } = await surveySource(source);
  const into = join(await temporaryFolder(), 'into');
  await mkdir(into);
  await writeSkills(source, skills, into, (skill) => skill.folder);
  return {
    commit: source.commit,
    refused: refused.map(({ folder, error }) => [folder, error.code]),
    files: await written(into),
  };
}

test('reads the skills of the default branch, of a branch, a tag and a commit', async () => {
  const root = await temporaryFolder();
  const repo = join(root, 'acme/skills');
  const first = commit(repo, {
    'README.md': 'read me',
    'docx/SKILL.md': skillMd('docx', 'first'),
    'docx/scripts/run.py': 'print("ä")\r\n',
    'docx/CLAUDE.md': { link: 'SKILL.md' },
    'evil/SKILL.md': skillMd('evil'),
    'evil/l': { link: '/etc/passwd' },
    '.gitattributes': '*.py text eol=lf export-subst filter=evil\n',
  });
  git(repo, 'tag', 'v1');
  const second = commit(repo, { 'docx/SKILL.md': skillMd('docx', 'second') });
  git(repo, 'branch', 'next');
  const url = `${await gitServer(root)}/acme/skills`;
  const expected = (description: string) => ({
    'docx/CLAUDE.md': '-> SKILL.md',
    'docx/SKILL.md': `644 ${skillMd('docx', description)}`,
    'docx/scripts/run.py': '644 print("ä")\n',
  });
  const refused = [['evil', 'SKILL_UNSAFE_LINK']];
  expect(await filesOf(url)).toEqual({ commit: second, refused, files: expected('second') });
  expect(await filesOf(url, 'next')).toEqual({ commit: second, refused, files: expected('second') });
  expect(await filesOf(url, 'v1')).toEqual({ commit: first, refused, files: expected('first') });
  expect(await filesOf(url, first)).toEqual({ commit: first, refused, files: expected('first') });
});

test.each([
  ['a missing repository', '/none', undefined, 'SOURCE_UNREACHABLE', /not found/],
  ['a missing branch', '/skills', 'none', 'SOURCE_UNREACHABLE', /couldn't find remote ref none/],
  ['a missing commit', '/skills', '0'.repeat(39).concat('1'), 'SOURCE_UNREACHABLE', /./],
  ['a ref that is an option', '/skills', '--upload-pack=x', 'SOURCE_UNSUPPORTED', /is not a branch/],
  ['a ref with two ends', '/skills', 'a:b', 'SOURCE_UNSUPPORTED', /is not a branch/],
])('refuses %s', async (_, path, ref, code, message) => {
  const root = await temporaryFolder();
  commit(join(root, 'skills'), { 'SKILL.md': skillMd('a') });
  const url = `${await gitServer(root)}${path}`;
  await expect(fetch(url, ref)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  expect((await fetch(url.replace('none', 'skills'), undefined)).commit).toMatch(/^[0-9a-f]{40}$/);
});

test('reaches only allowed hosts, and no other one by a redirect', async () => {
  const root = await temporaryFolder();
  commit(join(root, 'skills'), { 'SKILL.md': skillMd('a') });
  const url = `${await gitServer(root)}/skills`;
  await expect(fetch(url, undefined, [])).rejects.toMatchObject({
    code: 'SOURCE_NOT_ALLOWED',
    message: expect.stringContaining(`add to ambit.config.yaml: installs: { network: [`),
  });
  const server = createServer((request, response) => {
    response.writeHead(302, { location: `${url}${(request.url ?? '').replace('/moved', '')}` }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const moved = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(fetch(`${moved}/moved`, undefined, [moved])).rejects.toMatchObject({
    code: 'SOURCE_NOT_ALLOWED',
  });
  expect((await fetch(`${moved}/moved`, undefined, [moved, new URL(url).origin])).commit).toMatch(
    /^[0-9a-f]+$/,
  );
});

test.each([
  'ssh://git@127.0.0.1/a',
  'git://127.0.0.1/a',
  'file:///etc',
  'ext::sh -c id',
  '-oProxyCommand=id',
])('runs no other transport: %s', async (url) => {
  await expect(fetch(url, undefined, [])).rejects.toMatchObject({ code: expect.stringMatching(/^SOURCE_/) });
});
