import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { pagesWithTables } from '../../scripts/docs-tables.mjs';
import { attacks, testsOfAttacks } from '../../scripts/threat-tests.mjs';
import { repository } from '../support/daemon-process.ts';

const pages = ['*.md', 'docs/**/*.md', 'examples/*/*.md'].flatMap((pattern) =>
  globSync(pattern, { cwd: repository }),
);

/** Every test file below these folders tests an attack or a defence. */
const attackSuites = [
  'test/security',
  'packages/core/src/egress',
  'packages/core/src/grant',
  'packages/core/src/model-text',
  'packages/runtime/src/egress',
  'packages/runtime/src/process/sandbox',
  'packages/runtime/src/secrets',
  'packages/server/src/audit/sign',
  'packages/server/src/audit/verify',
  'packages/server/src/auth',
  'packages/server/src/trust',
];

test('every link of a page leads to an existing file and heading', () => {
  const links = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => ({ page, link })),
  );
  expect(links.length).toBeGreaterThan(200);
  expect(links.filter(({ page, link }) => !leadsSomewhere(page, link))).toEqual([]);
});

test('docs/README.md lists every page and every decision', () => {
  const listed = [...textOf('docs/README.md').matchAll(/\]\(([^)]+\.md)\)/g)].map(
    ([, link]) => `docs/${link}`,
  );
  const expected = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');
  expect(listed.filter((page) => !page.startsWith('docs/../')).toSorted()).toEqual(expected.toSorted());
});

test.each([
  ['docs/configuration.md', 'settings: audit', 'no table of docs/configuration.md has audit.payloads,'],
  ['docs/http.md', 'routes', 'docs/http.md has no table of routes'],
  ['docs/http.md', 'codes', 'docs/http.md has no table of codes'],
  ['docs/cli.md', 'options: ambit', 'docs/cli.md has no table of the options of ambit'],
])('the tables of %s are current, and none is missing: %s', (path, comment, message) => {
  const { withTables } = pagesWithTables.find(({ file }) => file.endsWith(path)) ?? {};
  const page = textOf(path);
  expect(withTables?.(page)).toBe(page);
  expect(() => withTables?.(page.replace(`<!-- ${comment} -->`, ''))).toThrow(message);
});

test('every attack of the threat model has an id of its own and a test that names it', () => {
  const ids = attacks(repository).map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(300);
  expect(new Set(ids).size).toBe(ids.length);
  const named = testsOfAttacks(repository);
  expect(ids.filter((id) => !named.has(id))).toEqual([]);
  expect([...named.keys()].filter((id) => !ids.includes(id))).toEqual([]);
});

test.each(attackSuites)('every test file in %s names its attacks in the threat model', (folder) => {
  const named = new Set([...testsOfAttacks(repository).values()].flat());
  const files = globSync(`${folder}/**/*.test.ts`, { cwd: repository });
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !named.has(file))).toEqual([]);
});

test('every row of the table of attacks has an id, an attack and a defence', () => {
  const [, ...lines] = section('THREAT_MODEL.md', 'Attacks').trim().split('\n');
  const rows = lines.filter(
    (line) => line !== '' && line !== '|---|---|---|' && line !== '| | attack | defence |',
  );
  expect(rows).toHaveLength(attacks(repository).length);
});

test('CONTRIBUTING.md lists every command', () => {
  const commands = section('CONTRIBUTING.md', 'Commands');
  expect(Object.keys(scripts()).filter((name) => !commands.includes(`| \`${shown(name)}`))).toEqual([]);
});

function textOf(page: string): string {
  return readFileSync(join(repository, page), 'utf8');
}

function section(page: string, heading: string): string {
  return (
    textOf(page)
      .split(/^## /m)
      .find((part) => part.startsWith(`${heading}\n`)) ?? ''
  );
}

function leadsSomewhere(page: string, link: string): boolean {
  if (/^https?:/.test(link)) return true;
  const [path = '', heading] = link.split('#');
  const file = path === '' ? page : relative(repository, join(repository, dirname(page), path));
  if (!existsSync(join(repository, file))) return false;
  return heading === undefined || headings(textOf(file)).includes(heading);
}

/** The anchors of a page's headings. */
function headings(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function scripts(): Record<string, string> {
  return JSON.parse(textOf('package.json')).scripts;
}

function shown(script: string): string {
  return ['start', 'test'].includes(script) ? `npm ${script}` : `npm run ${script}`;
}
