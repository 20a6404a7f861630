import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../support/daemon-process.ts';

const pages = ['*.md', 'docs/**/*.md', 'examples/*/*.md'].flatMap((pattern) =>
  globSync(pattern, { cwd: repository }),
);

test('every link of a page leads to a file that is there, and to a heading of it', () => {
  const links = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => ({ page, link })),
  );
  expect(links.length).toBeGreaterThan(200);
  expect(links.filter(({ page, link }) => !leadsSomewhere(page, link))).toEqual([]);
});

test('every attack of the threat model names a test that is there, or the one above it', () => {
  const rows = [...section('THREAT_MODEL.md', 'Attacks').matchAll(/^\| .+ \| .+ \| (.+) \|$/gm)].slice(1);
  const names = rows.map(([, cell = '']) => cell.replace(/ \([^)]*\)/g, '').split(/, (?=same|`)/));
  expect(names.length).toBeGreaterThan(120);
  expect(names.flat().filter((name) => !isTest(name))).toEqual([]);
});

test('the attacks are one table', () => {
  const [, ...lines] = section('THREAT_MODEL.md', 'Attacks').trim().split('\n');
  expect(lines.filter((line) => !line.startsWith('| ') && line !== '|---|---|---|')).toEqual([]);
});

test('CONTRIBUTING.md has every command', () => {
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

/** As they are linked to. */
function headings(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function isTest(name: string): boolean {
  if (name === 'same') return true;
  const path = /^`([^`]+)`$/.exec(name)?.[1] ?? '';
  if (path.startsWith('npm run ')) return path.slice('npm run '.length) in scripts();
  return path.endsWith('/')
    ? globSync(`${path}**/*.test.ts`, { cwd: repository }).length > 0
    : path.endsWith('.test.ts') && existsSync(join(repository, path));
}

function scripts(): Record<string, string> {
  return JSON.parse(textOf('package.json')).scripts;
}

function shown(script: string): string {
  return ['start', 'test'].includes(script) ? `npm ${script}` : `npm run ${script}`;
}
