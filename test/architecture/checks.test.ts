import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { leftOut } from '../../scripts/check/left-out.mjs';
import { listFiles } from '../../scripts/check/list-files.mjs';
import { userTests } from '../../scripts/check/ordinary-user.mjs';
import { parts } from '../../scripts/check/parts.mjs';
import { registryHosts } from '../../scripts/check/registry-hosts.mjs';
import { selectParts } from '../../scripts/check/select-parts.mjs';
import { selectSteps, stepNames } from '../../scripts/check/steps.mjs';
import { testTimes } from '../../scripts/check/test-times.mjs';
import { countTests } from '../../scripts/check/tests.mjs';
import { timeLeft } from '../../scripts/check/time-left.mjs';
import { suites } from '../busy/suites.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the search for registry hosts', () => {
  // Assembled from parts, because this file must not contain one.
  const host = ['registry', 'acme', 'com'].join('.');

  test.each([
    ['a host in any file', 'docs/install.md', `npm config set registry https://${host}/npm`],
    ['a host without its scheme', '.ci/run', `export INDEX=${host}`],
    ['a host below another', 'Dockerfile', `FROM https://eu.${host}/node`],
  ])('finds %s', (_what, path, text) => {
    expect(registryHosts(path, `first line\n${text}`, [])).toEqual([expect.stringContaining(`${path}:2: `)]);
  });

  test('finds any URL in the lockfile, and any registry in an .npmrc', () => {
    expect(registryHosts('pnpm-lock.yaml', 'tarball: https://x.y/z.tgz', [])).toEqual([
      'pnpm-lock.yaml:1: https://x.y/z.tgz',
    ]);
    expect(registryHosts('.npmrc', '@acme:registry = x', [])).toEqual(['.npmrc:1: @acme:registry = x']);
  });

  test('finds the hosts that this machine is configured with, by any name', () => {
    expect(registryHosts('README.md', 'see http://Packages.lan:8080/', ['packages.lan'])).toEqual([
      'README.md:1: packages.lan',
    ]);
  });

  test.each([
    ['a property', 'src/a.ts', 'return registry.skills.find(byId)'],
    ['an example domain', 'docs/egress.md', 'network: [registry.example.com:443]'],
    ['another URL', 'README.md', 'https://nodejs.org/api/'],
    ['a deprecation in the lockfile', 'pnpm-lock.yaml', '    deprecated: see https://x.y/z'],
  ])('leaves %s alone', (_what, path, text) => {
    expect(registryHosts(path, text, [])).toEqual([]);
  });
});

describe('the count of tests', () => {
  const file = (status: string, ...tests: string[]) => ({
    name: '/test/a.test.ts',
    status,
    assertionResults: tests.map((each) => ({ status: each })),
  });
  const count = (exitCode: number | null, ...files: ReturnType<typeof file>[]) => {
    const { passed, failed, skipped } = countTests(files, exitCode, 0);
    return { passed, failed, skipped };
  };

  test('adds up the results of the tests', () => {
    expect(count(0, file('passed', 'passed', 'passed'), file('passed', 'pending', 'todo', 'passed'))).toEqual(
      {
        passed: 3,
        failed: 0,
        skipped: 2,
      },
    );
    expect(count(1, file('failed', 'passed', 'failed'))).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  test('counts a file that does not load as a failure', () => {
    expect(count(1, file('passed', 'passed'), file('failed'))).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  test('counts a run that fails outside its tests as a failure', () => {
    expect(count(1, file('passed', 'passed'))).toEqual({ passed: 1, failed: 1, skipped: 0 });
    expect(count(null, file('passed', 'passed'))).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  test('counts a run without tests or without a report as a failure', () => {
    expect(count(0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });
});

describe('the choice of steps', () => {
  test('selects every step by default', () => {
    const { checks, projects, asUser } = selectSteps(undefined, true);
    const names = checks.flatMap(({ group, name }) => [group, name]);
    expect(new Set([...names, 'tests', ...projects, ...(asUser ? ['user'] : [])])).toEqual(
      new Set(stepNames()),
    );
  });

  test('selects steps by group, by name and by test project', () => {
    const { checks, projects } = selectSteps(['lint', 'types', 'unit'], true);
    expect(checks.map(({ name }) => name)).toEqual(['biome', 'eslint', 'types']);
    expect(projects).toEqual(['unit']);
  });

  test('runs tests as an ordinary user with all tests and if they are selected, and the list names only tests', () => {
    const asUser = (...only: string[]) => selectSteps(only, true).asUser;
    expect([asUser('tests'), asUser('user'), asUser('unit'), asUser('lint')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(selectSteps(undefined, false).asUser).toBe(false);
    const tests = listFiles(fileURLToPath(new URL('../..', import.meta.url))).filter((file) =>
      file.endsWith('.test.ts'),
    );
    expect(userTests.filter((path) => !tests.some((file) => file.startsWith(path)))).toEqual([]);
  });

  test('can exclude tests, and refuses an unknown step', () => {
    expect(selectSteps(undefined, false).projects).toEqual([]);
    expect(() => selectSteps(['lint', 'spelling'], true)).toThrow('unknown step: spelling');
  });
});

test('prints the files, tests, lines and processor time of each project, and the slowest files', async () => {
  const files = [
    { file: 'packages/a/src/a.test.ts', ms: 1000, wallMs: 9000 },
    { file: 'test/e2e/calls/b.test.ts', ms: 2500, wallMs: 3000 },
    { file: 'test/skills/c.test.ts', ms: 40, wallMs: 100 },
  ];
  const paths = [...files.map(({ file }) => file), 'test/support/d.ts', 'packages/a/src/a.ts'];
  const folder = await temporaryFolder(Object.fromEntries(paths.map((path) => [path, 'one\ntwo\n'])));
  const measured = join(folder, 'times');
  const lines = files.map(({ file, ...times }) => JSON.stringify({ file: join(folder, file), ...times }));
  await writeFile(measured, `${lines.join('\n')}\n`);
  const reports = files.map(({ file }) => ({ name: join(folder, file), assertionResults: [{}, {}, {}] }));
  const printed = testTimes(folder, { measured, reports, paths, filesMax: 2 });
  expect(printed.replace(/ {2,}/g, ' ').split('\n')).toEqual([
    ' files tests lines processor',
    'e2e 1 3 2 2.5 s',
    'unit 2 6 4 1.0 s',
    'support 0 0 2 0.0 s',
    'all 3 9 8 3.5 s',
    '',
    'Files that take longest:',
    ' packages/a/src/a.test.ts 9.0 s',
    ' test/e2e/calls/b.test.ts 3.0 s',
    'Files that take most processor time:',
    ' test/e2e/calls/b.test.ts 2.5 s',
    ' packages/a/src/a.test.ts 1.0 s',
  ]);
});

test('the time that is left follows from the files that are left and the pace of the finished ones', () => {
  const minute = 60_000;
  const expected = new Map([
    ['a', 2 * minute],
    ['b', 2 * minute],
    ['c', 6 * minute],
  ]);
  const estimate = timeLeft(expected, 2);
  expect(estimate.left()).toBe(6 * minute); // The longest file, which one worker runs.
  estimate.finished('a', 4.5 * minute);
  expect(estimate.left()).toBe(12 * minute); // Twice as slow as expected.
  estimate.finished('b', 0);
  estimate.finished('c', 0);
  expect(estimate.left()).toBe(0);
});

test('says what a run left out, and how to run it', async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const statuses = ['passed', 'pending', 'skipped'].map((status) => ({ status }));
  const reports = [{ name: join(root, 'test/e2e/a.test.ts'), assertionResults: statuses }];
  const skipped = 'Skipped tests: 2, in test/e2e/a.test.ts (2).';
  expect((await leftOut(root, reports, false)).slice(-2)).toEqual([
    skipped,
    expect.stringMatching(/^Left out: most of the long corpora, .*npm run test:all /),
  ]);
  expect((await leftOut(root, reports, true)).at(-1)).toBe(skipped);
});

describe('the choice of parts of test:all', () => {
  const chosen = (...args: string[]) => {
    const selected = selectParts(parts, args);
    return typeof selected === 'string'
      ? selected
      : selected.map(({ part, args: more }) => [part.name, ...more].join(' '));
  };

  test('is all of them without a name, and every part runs a file of the repository', () => {
    expect(chosen()).toEqual(parts.map(({ name }) => name));
    const root = fileURLToPath(new URL('../..', import.meta.url));
    expect(parts.filter(({ command: [script = ''] }) => !existsSync(join(root, script)))).toEqual([]);
    expect(suites.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  test('is the named ones, and what follows belongs to the last', () => {
    expect(chosen('image', 'service')).toEqual(['image', 'service']);
    expect(chosen('mcp', 'store-kills', '--database', 'postgres')).toEqual([
      'mcp',
      'store-kills --database postgres',
    ]);
    expect(chosen('count-skills', 'clones/a')).toEqual(['count-skills clones/a']);
  });

  test('refuses an unknown name, and lists the names', () => {
    for (const args of [['imge'], ['image', 'sevice'], ['--fault']])
      expect(chosen(...args)).toBe(
        `unknown part: ${args.at(-1)}. The parts are ${parts.map(({ name }) => name).join(', ')}`,
      );
  });
});

test('the weight of all packages is the sum of the packages, without tests', () => {
  const script = fileURLToPath(new URL('../../scripts/check/weight.mjs', import.meta.url));
  const lines = execFileSync(process.execPath, [script], { encoding: 'utf8' }).trim().split('\n');
  const rows = lines.map((line) => /^(.+?) +(\d+) lines in (\d+) files$/.exec(line)?.slice(1) ?? []);
  const [name, ...total] = rows.pop() ?? [];
  const sum = (at: number): string => `${rows.reduce((all, row) => all + Number(row[at]), 0)}`;
  expect([name, ...total]).toEqual(['all packages', sum(1), sum(2)]);
  expect(rows.map(([each]) => each)).toContain('server');
});

test('lists no files that git ignores, with or without git', async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const listed = listFiles(root);
  expect(listed).toContain('test/architecture/checks.test.ts');
  expect(listed.filter((path) => path.includes('node_modules/'))).toEqual([]);

  const ignored = { 'packages/dist/a.js': '', 'node_modules/b.js': '', 'c.tsbuildinfo': '' };
  const gitignore = 'node_modules/\ndist/\n*.tsbuildinfo\n';
  const folder = await temporaryFolder({ '.gitignore': gitignore, 'packages/a.ts': '', ...ignored });
  expect(listFiles(folder)).toEqual(['.gitignore', 'packages/a.ts']);
});
