import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const script = fileURLToPath(new URL('../../skills/git-summary/scripts/run.py', import.meta.url));

let root: string;
let shop: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'git-summary-'));
  shop = makeShop();
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

test('summarizes a repository with a merge, tags and a stash', () => {
  expect(summary(shop)).toBe(`# Git summary of \`${shop}\`

- Branch: \`main\`, no upstream
- Head: \`09eb95f\` 2024-01-04 \`Ada\`: \`Merge currencies\`
- Stashes: 1

## Working tree

Clean.

## Recent commits

4 commits in the history.

- \`09eb95f\` 2024-01-04 \`Ada\`: \`Merge currencies\`
- \`a7303fe\` 2024-01-03 \`Ada\`: \`Round prices\`
- \`04b3039\` 2024-01-02 \`Grace\`: \`Add currencies\`
- \`c17337f\` 2024-01-01 \`Ada\`: \`Add prices\`

## Most active files

- \`price\`: 2 commits
- \`currency\`: 1 commit

## Most active authors

- \`Ada\`: 3 commits
- \`Grace\`: 1 commit

## Tags

The nearest is \`v0.2\`, 2 commits before HEAD.

- \`v0.2\` 2024-01-03
- \`v0.1\` 2024-01-01
`);
});

test('limits the period with --since and the list with --max', () => {
  expect(sections(summary(shop, '--since', '2024-01-03', '--max=1'))).toEqual({
    ...sections(summary(shop)),
    'Recent commits':
      '2 commits since 2024-01-03.\n\n- `09eb95f` 2024-01-04 `Ada`: `Merge currencies`\n- … and 1 more',
    'Most active files': '- `price`: 1 commit',
    'Most active authors': '- `Ada`: 2 commits',
  });
  expect(sections(summary(shop, '--since=2 weeks'))).toEqual({
    'Working tree': 'Clean.',
    'Recent commits': 'None since 2 weeks ago.',
    Tags: sections(summary(shop))['Tags'],
  });
});

test('shows the distance from upstream and every kind of change in a clone', () => {
  const clone = join(root, 'changed');
  git(root, 'clone', '--quiet', shop, clone);
  write(clone, { price: 'local\n' });
  commit(clone, 'Local price', '2024-01-05', 'Ada');
  write(clone, { added: '1\n', price: 'staged\n' });
  git(clone, 'add', '.');
  write(clone, { price: 'staged and changed\n', new: '' });
  rmSync(join(clone, 'currency'));

  expect(summary(clone).split('\n\n')[1]).toBe(`- Branch: \`main\`, upstream \`origin/main\` (ahead 1)
- Head: \`${shortHash(clone)}\` 2024-01-05 \`Ada\`: \`Local price\`
- Stashes: 0`);
  expect(sections(summary(clone))['Working tree']).toBe(`2 staged, 2 not staged, 1 untracked.

- \`added\`: added, staged
- \`currency\`: deleted, not staged
- \`price\`: modified, staged; modified, not staged
- \`new\`: untracked`);
});

test('counts files in conflict', () => {
  const repository = makeRepository('conflict', { a: '1\n' });
  git(repository, 'checkout', '--quiet', '-b', 'other');
  write(repository, { a: '2\n' });
  commit(repository, 'Two', '2024-01-02', 'Ada');
  git(repository, 'checkout', '--quiet', 'main');
  write(repository, { a: '3\n' });
  commit(repository, 'Three', '2024-01-03', 'Ada');
  expect(() => gitAt('2024-01-04', 'Ada', repository, 'merge', 'other')).toThrow('git merge other failed');

  expect(sections(summary(repository))['Working tree']).toBe('1 in conflict.\n\n- `a`: in conflict');
});

test('shows a branch and a working tree, but no history, for a repository without a commit', () => {
  const empty = join(root, 'empty');
  git(root, 'init', '--quiet', '-b', 'trunk', empty);

  expect(summary(empty)).toBe(`# Git summary of \`${empty}\`

- Branch: \`trunk\`, no upstream
- Head: no commit yet
- Stashes: 0

## Working tree

Clean.
`);
});

test('shows a history but no working tree for a bare repository', () => {
  const bare = join(root, 'bare.git');
  git(root, 'clone', '--quiet', '--bare', shop, bare);

  expect(sections(summary(bare))).toEqual({
    ...sections(summary(shop)),
    'Working tree': 'None: this is a bare repository, or the inside of a .git folder.',
  });
});

test('reports a detached HEAD', () => {
  const detached = join(root, 'detached');
  git(root, 'clone', '--quiet', shop, detached);
  git(detached, 'checkout', '--quiet', 'v0.2');

  expect(summary(detached).split('\n\n')[1]).toBe(`- Branch: none, HEAD is detached
- Head: \`a7303fe\` 2024-01-03 \`Ada\`: \`Round prices\`
- Stashes: 0`);
  expect(sections(summary(detached))['Tags']).toBe(
    'The nearest is `v0.2`, at HEAD.\n\n- `v0.2` 2024-01-03\n- `v0.1` 2024-01-01',
  );
});

test('reports that the history of a shallow clone is cut', () => {
  const shallow = join(root, 'shallow');
  git(root, 'clone', '--quiet', '--depth=1', `file://${shop}`, shallow);

  expect(summary(shallow).split('\n\n')[1]).toBe(`- Branch: \`main\`, upstream \`origin/main\` (level)
- Head: \`09eb95f\` 2024-01-04 \`Ada\`: \`Merge currencies\`
- Stashes: 0
- History: a shallow clone, older commits are not here`);
});

test('no text of the repository escapes its code span', () => {
  const repository = makeRepository('odd', { a: '1\n' });
  write(repository, { a: '2\n', 'line\nbreak': '', 'quo"te': '', 'tick`': '' });
  write(repository, { 'back\\slash': '', '\u001b[31m': '' });
  commit(repository, '`# Head`\t\u202e <b>', '2024-01-02', 'E`vil');

  expect(sections(summary(repository, '--max', '1'))).toEqual({
    'Working tree': 'Clean.',
    'Recent commits':
      '2 commits in the history.\n\n' +
      `- \`${shortHash(repository)}\` 2024-01-02 ` +
      '``E`vil``: `` `# Head`\\t\\u202e <b> ``\n- … and 1 more',
    'Most active files': [
      '- `a`: 2 commits',
      '- `\\u001b[31m`: 1 commit',
      '- `back\\\\slash`: 1 commit',
      '- `line\\nbreak`: 1 commit',
      '- `quo"te`: 1 commit',
      '- `` tick` ``: 1 commit',
    ].join('\n'),
    'Most active authors': '- `Ada`: 1 commit\n- ``E`vil``: 1 commit',
    Tags: 'None in the history of HEAD.',
  });
});

test('names at most 20 changed files', () => {
  const repository = makeRepository('many', { a: '1\n' });
  const names = Array.from({ length: 25 }, (_, index) => `file-${String(index).padStart(2, '0')}`);
  write(repository, Object.fromEntries(names.map((name) => [name, ''])));

  expect(sections(summary(repository))['Working tree']).toBe(
    [
      '25 untracked.',
      '',
      ...names.slice(0, 20).map((name) => `- \`${name}\`: untracked`),
      '- … and 5 more',
    ].join('\n'),
  );
});

test('does not write to the repository, although a plain git status does', () => {
  const repository = makeRepository('unwritten', { a: '1\n' });
  const index = () => readFileSync(join(repository, '.git/index')).toString('hex');
  utimesSync(join(repository, 'a'), 1, 1);
  const before = index();

  summary(repository);
  expect(index()).toBe(before);
  git(repository, 'status');
  expect(index()).not.toBe(before);
});

/** Settings of a hostile repository, and the plain git command that runs its bait. */
const hostile: [string, (repository: string, bait: string) => void, string[]][] = [
  ['core.fsmonitor', (repository, bait) => git(repository, 'config', 'core.fsmonitor', bait), ['status']],
  ['filter.x.clean', (repository, bait) => setFilter(repository, 'filter.x.clean', bait), ['status']],
  ['filter.x.process', (repository, bait) => setFilter(repository, 'filter.x.process', bait), ['status']],
  [
    'filter.x.clean of a submodule',
    (repository, bait) => {
      const submodule = addSubmodule(repository);
      // With the same size and another time, git always compares the content, through the filter.
      utimesSync(join(submodule, 'price'), 1, 1);
      setFilter(submodule, 'filter.x.clean', bait);
    },
    ['status'],
  ],
  [
    'core.hooksPath',
    (repository, bait) => {
      const hooks = join(repository, '.git', 'baited-hooks');
      mkdirSync(hooks);
      executable(join(hooks, 'post-index-change'), readFileSync(bait, 'utf8'));
      git(repository, 'config', 'core.hooksPath', hooks);
      utimesSync(join(repository, 'untouched'), 1, 1);
    },
    ['status'],
  ],
  [
    'gpg.program',
    (repository, bait) => {
      pretendSigned(repository);
      git(repository, 'config', 'gpg.program', bait);
      git(repository, 'config', 'log.showSignature', 'true');
    },
    ['log'],
  ],
  ['diff.external', (repository, bait) => git(repository, 'config', 'diff.external', bait), ['diff']],
  [
    'diff.x.textconv',
    (repository, bait) => {
      write(repository, { '.gitattributes': '* diff=x\n' });
      git(repository, 'config', 'diff.x.textconv', bait);
    },
    ['diff'],
  ],
];

test.each(hostile)('does not run %s of the repository, although plain git does', (name, arrange, plain) => {
  // The path has no space, because git passes some of these to a shell.
  const repository = makeRepository(`hostile-${name.replaceAll(' ', '-')}`, { a: '1\n', untouched: '' });
  const marker = join(repository, '.git', 'ran');
  const bait = join(repository, '.git', 'bait');
  executable(bait, `#!/bin/sh\ntouch '${marker}'\n`);
  write(repository, { a: '2\n' });
  arrange(repository, bait);
  rmSync(marker, { force: true });

  summary(repository);
  expect(existsSync(marker)).toBe(false);
  run('git', ['-C', repository, ...plain]);
  expect(existsSync(marker)).toBe(true);
});

test('fetches nothing from the hostile remote of a partial clone, although plain git runs its command', () => {
  const repository = makeRepository('hostile-partial', { a: '1\n' });
  const marker = join(repository, '.git', 'ran');
  const bait = join(repository, '.git', 'bait');
  executable(bait, `#!/bin/sh\ntouch '${marker}'\n`);
  const tree = git(repository, 'rev-parse', 'HEAD^{tree}').trim();
  rmSync(join(repository, '.git/objects', tree.slice(0, 2), tree.slice(2)));
  for (const [key, value] of [
    ['core.repositoryformatversion', '1'],
    ['extensions.partialClone', 'far'],
    ['remote.far.promisor', 'true'],
    ['remote.far.url', `ext::${bait}`],
    ['protocol.allow', 'always'],
  ] as const) {
    git(repository, 'config', key, value);
  }

  const { status, stdout, stderr } = summarize(repository);
  expect({ status, stdout, lines: stderr.split('\n').length }).toEqual({ status: 1, stdout: '', lines: 2 });
  expect(existsSync(marker)).toBe(false);
  run('git', ['-C', repository, 'log', '--name-only']);
  expect(existsSync(marker)).toBe(true);
});

const usage = 'usage: git-summary REPOSITORY [--since DATE] [--max N].';

test.each([
  [[], `the following arguments are required: REPOSITORY; ${usage}`],
  [['--upload-pack=x', '.'], `unrecognized arguments: --upload-pack=x; ${usage}`],
  [['-C'], `the following arguments are required: REPOSITORY; ${usage}`],
  [['--max', '0', '.'], `argument --max: write a whole number from 1 to 200; ${usage}`],
  [
    ['--since', 'lately', '.'],
    `argument --since: write a date such as 2024-05-31, or a span such as "2 weeks"; ${usage}`,
  ],
  [['--since=2023-02-29', '.'], `argument --since: 2023-02-29 is not in the calendar; ${usage}`],
  [
    ['/nonexistent/a\nb'],
    'there is no folder `/nonexistent/a\\nb` here: check the path, and that the operator has granted it ' +
      '(grants: { git-summary: { filesystem: { read: [PATH] } } }).',
  ],
  [
    ['--', '/--version'],
    'there is no folder `/--version` here: check the path, and that the operator has granted it ' +
      '(grants: { git-summary: { filesystem: { read: [PATH] } } }).',
  ],
  [
    ['/'],
    '`/` cannot be read as a git repository: not a git repository (or any of the parent directories): .git.',
  ],
])('refuses the arguments %j with exit code 2 and one sentence', (args, sentence) => {
  expect(summarize(...args)).toEqual({ status: 2, stdout: '', stderr: `git-summary: ${sentence}\n` });
});

function makeShop(): string {
  const repository = makeRepository('shop', { price: '1\n' }, 'Add prices');
  git(repository, 'tag', 'v0.1');
  git(repository, 'checkout', '--quiet', '-b', 'currencies');
  write(repository, { currency: 'EUR\n' });
  commit(repository, 'Add currencies', '2024-01-02', 'Grace');
  git(repository, 'checkout', '--quiet', 'main');
  write(repository, { price: '1.00\n' });
  commit(repository, 'Round prices', '2024-01-03', 'Ada');
  gitAt('2024-01-03', 'Ada', repository, 'tag', '--annotate', '--message=Two', 'v0.2');
  const merge = ['merge', '--quiet', '--no-ff', '--message=Merge currencies', 'currencies'];
  gitAt('2024-01-04', 'Ada', repository, ...merge);
  write(repository, { price: '2.00\n' });
  gitAt('2024-01-05', 'Ada', repository, 'stash', '--quiet');
  return repository;
}

function makeRepository(name: string, files: Record<string, string>, subject = 'One'): string {
  const repository = join(root, name);
  git(root, 'init', '--quiet', '-b', 'main', repository);
  write(repository, files);
  commit(repository, subject, '2024-01-01', 'Ada');
  return repository;
}

function write(repository: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(repository, name), text);
}

function executable(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

function setFilter(repository: string, key: string, bait: string): void {
  write(repository, { '.gitattributes': '* filter=x\n' });
  git(repository, 'config', key, bait);
  git(repository, 'config', 'filter.x.required', 'true');
}

function addSubmodule(repository: string): string {
  git(repository, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', shop, 'sub');
  commit(repository, 'Add a submodule', '2024-01-02', 'Ada');
  return join(repository, 'sub');
}

/** Adds a signature to the head commit. An invalid one is enough for git to run gpg.program. */
function pretendSigned(repository: string): void {
  const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ\n -----END PGP SIGNATURE-----';
  const signed = git(repository, 'cat-file', 'commit', 'HEAD').replace(/^committer .*$/m, `$&\n${signature}`);
  const write = ['hash-object', '-t', 'commit', '-w', '--stdin'];
  const { stdout } = run('git', ['-C', repository, ...write], {}, signed);
  git(repository, 'update-ref', 'HEAD', stdout.trim());
}

function commit(repository: string, subject: string, day: string, author: string): void {
  git(repository, 'add', '.');
  gitAt(day, author, repository, 'commit', '--quiet', `--message=${subject}`);
}

function git(folder: string, ...args: string[]): string {
  return gitAt('2024-01-01', 'Ada', folder, ...args);
}

/** Runs git with a fixed author and date, so hashes are the same everywhere. */
function gitAt(day: string, author: string, folder: string, ...args: string[]): string {
  const { status, stdout, stderr } = run('git', ['-C', folder, ...args], {
    GIT_AUTHOR_NAME: author,
    GIT_AUTHOR_EMAIL: 'author@example.com',
    GIT_AUTHOR_DATE: `${day}T12:00:00Z`,
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.com',
    GIT_COMMITTER_DATE: `${day}T12:00:00Z`,
  });
  if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr}`);
  return stdout;
}

function shortHash(repository: string): string {
  return git(repository, 'rev-parse', '--short', 'HEAD').trim();
}

function summary(...args: string[]): string {
  const { status, stdout, stderr } = summarize(...args);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

/** The sections of a summary by heading. */
function sections(markdown: string): Record<string, string> {
  const parts = markdown.split(/^## /m).slice(1);
  return Object.fromEntries(
    parts.map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n')).trim()]),
  );
}

function summarize(...args: string[]) {
  return run(script, args);
}

function run(file: string, args: string[], env: Record<string, string> = {}, input = '') {
  const { status, stdout, stderr } = spawnSync(file, args, {
    input,
    encoding: 'utf8',
    // Ignores the developer's own settings.
    env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', ...env },
  });
  return { status, stdout, stderr };
}
