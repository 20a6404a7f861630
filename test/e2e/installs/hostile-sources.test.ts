// Threat model: T135, T136, T380

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type ArchiveEntry, tarGzOf, tarOf, zipOf } from '../../../packages/installs/src/testing/archives.ts';
import { hostileEntries, hostileTarEntries } from '../../../packages/installs/src/testing/hostile-entries.ts';
import { walkLog } from '../../../packages/server/src/audit/testing/walk-log.ts';
import { startDaemon } from '../../support/daemon.ts';
import { commit, git, gitServer } from '../../support/git-server.ts';
import { localServer } from '../../support/local-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A refused source, and the nearest harmless source. */
interface Case {
  name: string;
  source: string;
  code: string;
  twin: string;
}

const skillMd = '---\nname: docx\ndescription: d\n---\n';
const skill: ArchiveEntry = { path: 'repo/docx/SKILL.md', content: skillMd };
const packers = { zip: zipOf, tar: tarOf, 'tar.gz': tarGzOf };

test('hostile archives, answers, repositories and folders are each refused with their code, and their harmless twins are installed', async () => {
  const cases = [
    ...(await archives()),
    ...(await repositories()),
    ...(await answers()),
    ...(await folders()),
  ];
  const origins = cases.flatMap(({ source, twin }) =>
    [source, twin].filter((each) => each.startsWith('http')).map((each) => new URL(each).origin),
  );
  const daemon = await startDaemon({
    installs: { network: [...new Set(origins)] },
  });
  // Removed after each case, because a change reads every installed skill again.
  const remove = (id: string) => daemon.request('POST', '/installs/remove', { body: { skills: [id] } });
  const add = (source: string, namespace: string) =>
    daemon.request('POST', '/installs', { body: { source, namespace } });
  const outcomes: Record<string, unknown> = {};
  for (const [at, { name, source, twin }] of cases.entries()) {
    const bad = await add(source, `bad-${at}`);
    const good = await add(twin, `good-${at}`);
    outcomes[name] = [
      bad.body.code ?? bad.body.refused?.map((each: { code: string }) => each.code).join(),
      bad.body.skills ?? [],
      good.body.code ?? good.body.skills?.map((each: { id: string }) => each.id),
    ];
    if (at > 0) await remove(`good-${at}:docx`);
  }
  expect(outcomes).toEqual(
    Object.fromEntries(cases.map(({ name, code }, at) => [name, [code, [], [`good-${at}:docx`]]])),
  );

  // Each is recorded; what is installed is what the lock file lists; nothing else was written.
  const { events, flaws } = walkLog(join(daemon.dataDir, 'audit.db'));
  const kinds = Object.groupBy(events, ({ event }) => event.kind);
  expect([flaws, kinds['install.refused']?.length, kinds['skill.installed']?.length]).toEqual([
    [],
    cases.length,
    cases.length,
  ]);
  const kept = (await daemon.request('POST', '/installs/sync', { body: { frozen: true } })).body;
  expect(kept).toEqual({ skills: [], refused: [] });
  const installs = join(daemon.dataDir, 'installs');
  const versions = await Promise.all((await readdir(installs)).map((name) => readdir(join(installs, name))));
  expect(versions.flat()).toHaveLength(1);
  expect((await daemon.request('GET', '/audit/verify')).body.intact).toBe(true);
  expect(existsSync('/etc/cron.d/evil')).toBe(false);
});

/** The first case with each code: packages/installs/src/archives.test.ts has every archive, without a daemon. */
function oneOfEachCode<T>(cases: readonly T[], codeOf: (each: T) => string): readonly T[] {
  const codes = cases.map(codeOf);
  return cases.filter((_, at) => codes.indexOf(codes[at] ?? '') === at);
}

/** Archives with hostile entries, each packed in one of the formats, a damaged one, and two with a hostile skill. */
async function archives(): Promise<Case[]> {
  const folder = await temporaryFolder();
  let count = 0;
  const write = async (bytes: Uint8Array, extension: string): Promise<string> => {
    const file = join(folder, `${count++}.${extension}`);
    await writeFile(file, bytes);
    return file;
  };
  const packed = async (entries: readonly ArchiveEntry[], kind: keyof typeof packers): Promise<string> =>
    write(await packers[kind](entries), kind);
  const cases: Case[] = [];
  const kinds = Object.keys(packers) as (keyof typeof packers)[];
  for (const [at, [name, entries, code, twin]] of oneOfEachCode(
    hostileEntries,
    ([, , code]) => code,
  ).entries()) {
    const kind = kinds[at % kinds.length] ?? 'zip';
    const [source, harmless] = [
      await packed([skill, ...entries], kind),
      await packed([skill, ...twin], kind),
    ];
    cases.push({ name: `${name} in a ${kind} archive`, source, code, twin: harmless });
  }
  for (const [name, entry, code] of oneOfEachCode(hostileTarEntries, ([, , code]) => code)) {
    const outside = { ...entry, path: 'repo/elsewhere' };
    const [source, twin] = [await packed([skill, entry], 'tar'), await packed([skill, outside], 'tar.gz')];
    cases.push({ name: `${name} in a tar archive`, source, code, twin });
  }
  const tar = await tarOf([skill]);
  const whole = await write(tar, 'tar');
  const cutShort = await write(tar.subarray(0, 600), 'tar');
  cases.push({ name: 'a tar archive cut short', source: cutShort, code: 'SOURCE_DAMAGED', twin: whole });
  for (const [name, content, code] of [
    ['text that only models can read', `${skillMd}Read on\u{E0041}.`, 'SKILL_HIDDEN_TEXT'],
    ['a skill without a name and a description', '---\nlicense: MIT\n---\n', 'SKILL_INVALID'],
  ] as const)
    cases.push({ name, source: await packed([{ ...skill, content }], 'zip'), code, twin: whole });
  return cases;
}

/** Servers of archives that answer with something else. */
async function answers(): Promise<Case[]> {
  const bytes = zipOf([skill]);
  const { origin: base } = await localServer((request, response) => {
    const path = request.url ?? '';
    if (path.startsWith('/loop')) response.writeHead(302, { location: path }).end();
    else if (path.startsWith('/page')) response.end('<!doctype html><title>Sign in</title>');
    else if (path.startsWith('/short')) {
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(bytes.subarray(0, 20), () => response.destroy());
    } else response.end(bytes);
  });
  const refused: [string, string, string][] = [
    ['a redirect without end', 'loop', 'SOURCE_UNREACHABLE'],
    ['a web page in place of an archive', 'page', 'SOURCE_UNSUPPORTED'],
    ['an answer that ends early', 'short', 'SOURCE_UNREACHABLE'],
  ];
  return refused.map(([name, path, code]) => ({
    name,
    source: `${base}/${path}.zip`,
    code,
    twin: `${base}/repo.zip`,
  }));
}

/** Repositories with hostile trees, and servers that do not send what was asked for. */
async function repositories(): Promise<Case[]> {
  const root = await temporaryFolder();
  const base = await gitServer(root);
  const repo = join(root, 'acme/skills');
  commit(repo, { 'docx/SKILL.md': skillMd, 'docx/a': 'x' });
  const blob = git(repo, 'hash-object', '-w', 'docx/a');
  const md = git(repo, 'hash-object', '-w', 'docx/SKILL.md');
  const tree = (lines: readonly string[]): string =>
    execFileSync('git', ['mktree', '--missing'], { cwd: repo, input: `${lines.join('\n')}\n` })
      .toString()
      .trim();
  /** A branch whose skill has these entries beside its `SKILL.md`. */
  const branch = (name: string, entries: readonly string[]): string => {
    const top = tree([`040000 tree ${tree([`100644 blob ${md}\tSKILL.md`, ...entries])}\tdocx`]);
    const made = git(repo, 'commit-tree', top, '-m', name);
    git(repo, 'update-ref', `refs/heads/${name}`, made);
    return `${base}/acme/skills#${name}`;
  };
  await writeFile(join(root, 'target'), '/etc/passwd');
  const target = git(repo, 'hash-object', '-w', join(root, 'target'));
  let deep = tree([`100644 blob ${blob}\tb`]);
  for (let depth = 0; depth < 100; depth++) deep = tree([`040000 tree ${deep}\ta`]);
  const plain = `${base}/acme/skills`;
  const file = (name: string): string => `100644 blob ${blob}\t${name}`;
  return [
    ['a file named ".."', branch('parent', [file('..')]), 'SOURCE_DAMAGED'],
    ['a folder named ".git"', branch('dot-git', [`040000 tree ${deep}\t.git`]), 'SOURCE_DAMAGED'],
    ['a backslash in a name', branch('backslash', [file('..\\a')]), 'SOURCE_UNSAFE_PATH'],
    ['a link out', branch('link', [`120000 blob ${target}\tl`]), 'SKILL_UNSAFE_LINK'],
    ['names that differ in case', branch('case', [file('A'), file('a')]), 'SKILL_NAME_COLLISION'],
    ['100 nested folders', branch('deep', [`040000 tree ${deep}\ta`]), 'SKILL_UNSAFE_NAME'],
    ['a missing object', branch('missing', [`100644 blob ${'1'.repeat(40)}\ta`]), 'SOURCE_UNREACHABLE'],
  ].map(([name = '', source = '', code = '']) => ({
    name: `${name} in a repository`,
    source,
    code,
    twin: plain,
  }));
}

/** Folders of this machine. */
async function folders(): Promise<Case[]> {
  const root = await temporaryFolder();
  const folder = async (name: string): Promise<string> => {
    await mkdir(join(root, name, 'docx'), { recursive: true });
    await writeFile(join(root, name, 'docx/SKILL.md'), skillMd);
    return join(root, name);
  };
  const twin = await folder('plain');
  const pipe = await folder('pipe');
  execFileSync('mkfifo', [join(pipe, 'docx/p')]);
  const link = await folder('link');
  await symlink('/etc', join(link, 'docx/etc'));
  const beside = await folder('beside');
  await writeFile(join(beside, 'shared.md'), 'shared');
  await symlink('../shared.md', join(beside, 'docx/shared.md'));
  const deep = await folder('deep');
  execFileSync('python3', [
    '-c',
    'import os, sys\nos.chdir(sys.argv[1])\nfor _ in range(10000):\n  os.mkdir("a")\n  os.chdir("a")',
    join(deep, 'docx'),
  ]);
  onTestFinished(() => void execFileSync('rm', ['-rf', deep]));
  return [
    { name: 'a pipe in a folder', source: pipe, code: 'SKILL_SPECIAL_FILE', twin },
    { name: 'a link out of a folder', source: link, code: 'SKILL_UNSAFE_LINK', twin },
    {
      name: 'a link from a folder to the one above, which was not named',
      source: join(beside, 'docx'),
      code: 'SKILL_UNSAFE_LINK',
      twin: `${beside}#:docx`,
    },
    { name: '10,000 nested folders in a folder', source: deep, code: 'SOURCE_TOO_LARGE', twin },
  ];
}
