// Threat model: T137, T138

import { execFileSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  openSource,
  parseSource,
  resolvedSource,
  surveySource,
  writeSkills,
} from '../../../packages/installs/src/index.ts';
import { written } from '../../../packages/installs/src/testing/written.ts';
import { bubblewrapSandbox, egress } from '../../../packages/runtime/src/index.ts';
import { ambit } from '../../support/daemon-process.ts';
import { commit, git, startGitServer } from '../../support/git-server.ts';
import { localServer } from '../../support/local-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const skillMd = (name: string, description = 'd') => `---\nname: ${name}\ndescription: ${description}\n---\n`;

/** Reads a source with rules for the network; by default those for its own host. `resolved`: as a lock file has it. */
async function read(
  typed: string,
  network = [new URL(typed, 'http://127.0.0.1').origin],
  resolved: string | null = null,
) {
  const sandbox = bubblewrapSandbox();
  const own = egress(async () => '');
  try {
    const parsed = resolvedSource(
      parseSource(typed, (path) => path.startsWith('/')),
      resolved,
    );
    const { signal } = new AbortController();
    const source = await openSource(parsed, { sandbox, egress: own, network, deny: [], signal });
    try {
      const { skills, refused } = await surveySource(source, source.folder);
      const into = join(await temporaryFolder(), 'into');
      await mkdir(into);
      await writeSkills(source, skills, into, (skill) => skill.folder);
      const files = await written(into);
      return {
        resolved: source.resolved,
        files,
        refused: refused.map((one) => [one.folder, one.error.code]),
      };
    } finally {
      await source.close();
    }
  } finally {
    await sandbox.close?.();
    await own.close();
  }
}

const root = await temporaryFolder({}, afterAll);
const { url: origin, close } = await startGitServer(root);
afterAll(close);
const url = `${origin}/acme/skills`;
// Two commits, the first of which is `v1`.
const folder = join(root, 'acme/skills');
const first = commit(folder, {
  'README.md': 'read me',
  'docx/SKILL.md': skillMd('docx', 'first'),
  'docx/scripts/run.py': 'print("ä")\n',
  'docx/CLAUDE.md': { link: 'SKILL.md' },
  'evil/SKILL.md': skillMd('evil'),
  'evil/l': { link: '/etc/passwd' },
  '.gitattributes': '*.py export-subst export-ignore filter=evil\n',
});
git(folder, 'tag', 'v1');
const second = commit(folder, { 'docx/SKILL.md': skillMd('docx', 'second') });

test('reads the skills of a repository’s default branch, of a branch, a tag, a commit and a folder', async () => {
  const files = (description: string) => ({
    'docx/CLAUDE.md': '-> SKILL.md',
    'docx/SKILL.md': `644 ${skillMd('docx', description)}`,
    'docx/scripts/run.py': '644 print("ä")\n',
  });
  const refused = [['evil', 'SKILL_UNSAFE_LINK']];
  const latest = { resolved: { commit: second }, refused, files: files('second') };
  expect(await read(url)).toEqual(latest);
  expect(await read(`${url}#main`)).toEqual(latest);
  const older = { resolved: { commit: first }, refused, files: files('first') };
  expect(await read(`${url}#v1`)).toEqual(older);
  expect(await read(`${url}#${first}`)).toEqual(older);
  expect(await read(`${url}#:docx`)).toEqual({ ...latest, refused: [] });
  expect(await read(`${url}/tree/v1/docx`)).toEqual({ ...older, refused: [] });
  expect(await read(`${url}/blob/main/docx/SKILL.md`)).toEqual({ ...latest, refused: [] });
});

test.each([
  ['a missing repository', '/none', 'SOURCE_UNREACHABLE', /not found/],
  ['a missing branch', '/skills#none', 'SOURCE_UNREACHABLE', /couldn't find remote ref none/],
  [
    'a missing branch of an address',
    '/skills/tree/none/docx',
    'SOURCE_UNREACHABLE',
    /has no branch or tag with which "none\/docx" begins; write REPOSITORY#REF:FOLDER/,
  ],
  ['a missing branch of an address without a folder', '/skills/tree/none', 'SOURCE_UNREACHABLE', /none/],
  [
    'an address that leads out of its repository',
    '/skills/tree/main/../../../../none',
    'SOURCE_UNREACHABLE',
    /not found/,
  ],
  ['an option in an address', '/skills/tree/--upload-pack=x', 'SOURCE_UNSUPPORTED', /is not a branch/],
  ['a missing commit', `/skills#${'1'.repeat(40)}`, 'SOURCE_UNREACHABLE', /./],
  ['an option in place of a branch', '/skills#--upload-pack=x', 'SOURCE_UNSUPPORTED', /is not a branch/],
  ['a range in place of a branch', '/skills#a..b', 'SOURCE_UNSUPPORTED', /is not a branch/],
])('refuses %s', async (_, path, code, message) => {
  await expect(read(`${origin}/acme${path}`)).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  });
});

test('the address of a folder on a branch with a slash is read, by the longest name of a branch or tag', async () => {
  const repo = join(root, 'acme/slashes');
  const base = commit(repo, { 'x/docx/SKILL.md': skillMd('docx', 'on the tag feature') });
  git(repo, 'tag', 'feature');
  git(repo, 'checkout', '--quiet', '-b', 'feature/x');
  const deep = commit(repo, { 'docx/SKILL.md': skillMd('docx', 'on feature/x'), 'docx/a': 'a' });
  git(repo, 'tag', '-a', 'release/1.0', '-m', 'one');
  const at = (path: string) => read(`${origin}/acme/slashes/tree/${path}`);
  const onBranch = { 'docx/SKILL.md': `644 ${skillMd('docx', 'on feature/x')}`, 'docx/a': '644 a' };
  for (const path of ['feature/x/docx', 'release/1.0/docx', `${deep}/docx`])
    expect(await at(path)).toEqual({ resolved: { commit: deep }, refused: [], files: onBranch });
  expect((await at('feature/x')).files).toMatchObject(onBranch);
  expect(await at('feature')).toMatchObject({ resolved: { commit: base } });
  expect((await at('feature/none/docx')).files).toEqual({});
  expect((await at('feature/x/--upload-pack=x')).files).toEqual({});
  expect((await at('feature/x/docx%20*?')).files).toEqual({});

  // A lock file has the address and the commit.
  const locked = () => read(`${origin}/acme/slashes/tree/feature/x/docx`, [origin], `commit:${deep}`);
  commit(repo, { 'docx/SKILL.md': skillMd('docx', 'later') });
  expect(await locked()).toEqual({ resolved: { commit: deep }, refused: [], files: onBranch });
  git(repo, 'checkout', '--quiet', '--detach');
  git(repo, 'branch', '--quiet', '-D', 'feature/x');
  expect(await locked()).toMatchObject({ resolved: { commit: deep } });
  await expect(read(`${origin}/acme/slashes`, [origin], 'commit:--upload-pack=x')).rejects.toMatchObject({
    code: 'SOURCE_UNSUPPORTED',
  });
});

test('git reaches only allowed hosts, and no other one by a redirect', async () => {
  const { origin: moved } = await localServer((request, response) => {
    response.writeHead(302, { location: `${url}${(request.url ?? '').replace('/moved', '')}` }).end();
  });
  const refused = { code: 'SOURCE_NOT_ALLOWED', message: expect.stringContaining('installs: { network: [') };
  await expect(read(url, [])).rejects.toMatchObject(refused);
  await expect(read(`${moved}/moved`, [moved])).rejects.toMatchObject(refused);
  expect((await read(`${moved}/moved`, [moved, new URL(url).origin])).resolved).toEqual({ commit: second });
});

test('a server that sends another commit than the named one is refused', async () => {
  const { origin: lyingOrigin } = await localServer((request, response) => {
    // Lists the other commit under the name that is asked for.
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => void pieces.push(piece));
    request.on('end', () => void answered());
    const answered = async (): Promise<void> => {
      const body = Buffer.from(Buffer.concat(pieces).toString('latin1').replaceAll(first, second), 'latin1');
      const headers = { 'content-type': request.headers['content-type'] ?? '', 'git-protocol': 'version=2' };
      const isPost = request.method === 'POST';
      const answer = await fetch(`${url}${(request.url ?? '').replace('/acme/skills', '')}`, {
        method: request.method ?? 'GET',
        headers: isPost ? headers : { 'git-protocol': 'version=2' },
        ...(isPost ? { body } : {}),
      });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      response.end(Buffer.from(await answer.arrayBuffer()));
    };
  });
  const lying = `${lyingOrigin}/acme/skills`;
  await expect(read(`${lying}#${first}`)).rejects.toMatchObject({ code: expect.stringMatching(/^SOURCE_/) });
  expect((await read(`${lying}#${second}`)).resolved).toEqual({ commit: second });
});

test('a link whose target is longer than a path is refused, and a shorter one is kept', async () => {
  const repo = join(root, 'linked');
  commit(repo, { 'docx/SKILL.md': skillMd('docx'), 'docx/l': { link: 'SKILL.md' }, long: 'x'.repeat(5000) });
  const linked = `${origin}/linked`;
  expect((await read(linked)).refused).toEqual([]);
  git(repo, 'update-index', '--cacheinfo', `120000,${git(repo, 'hash-object', '-w', 'long')},docx/l`);
  git(repo, 'commit', '--quiet', '--message', 'a long link');
  expect((await read(linked)).refused).toEqual([['docx', 'SKILL_SPECIAL_FILE']]);
});

test('Ctrl-C ends a review while it fetches, and leaves nothing behind', async () => {
  const asked = Promise.withResolvers<void>();
  const { origin: base } = await localServer(() => asked.resolve());
  const [cwd, temporary] = [await temporaryFolder(), await temporaryFolder()];
  await writeFile(join(cwd, 'ambit.config.yaml'), JSON.stringify({ installs: { network: [base] } }));
  const words = ['skills', 'review', `${base}/a.zip`, '--config', 'ambit.config.yaml'];
  const interrupt = new AbortController();
  const ended = ambit(words, {
    cwd,
    env: { TMPDIR: temporary },
    signal: interrupt.signal,
    killWith: 'SIGINT',
  });
  await asked.promise;
  expect(await readdir(temporary)).not.toEqual([]);
  interrupt.abort();
  expect(await ended).toMatchObject({
    code: 130,
    stdout: '',
    stderr: expect.stringContaining('INTERRUPTED'),
  });
  expect(await readdir(temporary)).toEqual([]);
});

test('reads what tar and Python’s zipfile write', async () => {
  const folder = await temporaryFolder();
  const long = `repo/docx/${'n'.repeat(200)}`;
  await mkdir(join(folder, 'repo/docx'), { recursive: true });
  await writeFile(join(folder, 'repo/docx/SKILL.md'), 'x');
  await writeFile(join(folder, long), 'y');
  for (const [name, program, ...args] of [
    ['a.tar.gz', 'tar', '-czf', 'a.tar.gz', 'repo'],
    ['b.tar', 'tar', '--format=posix', '-cf', 'b.tar', 'repo'],
    ['c.zip', 'python3', '-m', 'zipfile', '-c', 'c.zip', 'repo'],
  ] as const) {
    execFileSync(program, args, { cwd: folder });
    const { files } = await read(join(folder, name), []);
    expect(files).toEqual({ 'repo/docx/SKILL.md': '644 x', [long]: '644 y' });
  }
});

test('ambit skills review reads a repository and an archive, shows what was read, and leaves nothing behind', async () => {
  const cwd = await temporaryFolder();
  await writeFile(
    join(cwd, 'ambit.config.yaml'),
    JSON.stringify({ installs: { network: [new URL(url).origin] }, bundledSkills: false }),
  );
  const config = ['--config', 'ambit.config.yaml'];
  const temporary = await temporaryFolder();
  const review = (...words: string[]) =>
    ambit(['skills', 'review', ...words, ...config], { cwd, env: { TMPDIR: temporary } });
  const shown = await review(`${url}#v1`);
  expect([shown.code, shown.stderr.split('\n').slice(0, 2)]).toEqual([
    0,
    [`Fetching ${url}#v1`, expect.stringMatching(/^evil is left out: .* has a link "l" to "\/etc\/passwd"/)],
  ]);
  expect(shown.stdout).toContain(`\n  source  ${url}#v1:docx, commit ${first}\n`);
  const { source, id, description } = JSON.parse((await review(url, '--json')).stdout);
  expect([id, description, source]).toEqual([
    ...['docx', 'second'],
    { named: `${url}#:docx`, resolved: { commit: second } },
  ]);
  expect(await review(`${url}#:evil`)).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringContaining('ambit: SKILL_UNSAFE_LINK: the skill "evil" has a link'),
  });
  expect(await readdir(temporary)).toEqual([]);

  await mkdir(join(cwd, 'two/docx'), { recursive: true });
  await mkdir(join(cwd, 'two/pdf'));
  for (const name of ['docx', 'pdf']) await writeFile(join(cwd, 'two', name, 'SKILL.md'), skillMd(name));
  execFileSync('tar', ['-czf', 'two.tgz', 'two'], { cwd });
  expect(await review('two.tgz')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("Review one of them: 'two.tgz#:two/docx', 'two.tgz#:two/pdf'"),
  });
  expect((await review('two.tgz#:two/pdf')).stdout).toContain('\n  source  two.tgz#:two/pdf\n');
});
