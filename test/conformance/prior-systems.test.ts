import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../support/daemon-process.ts';

interface Row {
  id: string;
  verdict: string;
  tests: string;
}

/** A word alone, or a word and its explanation. */
const verdicts = /^(?:same|measured|absent|(?:stricter|wider|differs): \S.*)$/;
const system = { wreckit: 'W', agentium: 'A', iSDLC: 'I', boternity: 'B' };

const page = readFileSync(join(repository, 'docs/prior-systems.md'), 'utf8');
const sections = page.split(/^## /m).slice(1);
const rows = sections.flatMap(rowsOf);

test('docs/prior-systems.md numbers the rows of each system from 1 without gaps', () => {
  expect(sections.map((section) => section.split('\n', 1)[0])).toEqual(Object.keys(system));
  const ids = sections.map((section) => rowsOf(section).map(({ id }) => id));
  expect(ids).toEqual(
    Object.values(system).map((letter, at) => ids[at]?.map((_, index) => `${letter}${index + 1}`)),
  );
  expect(rows.length).toBeGreaterThan(200);
});

test('docs/prior-systems.md has a verdict in each row', () => {
  expect(rows.filter(({ verdict }) => !verdicts.test(verdict))).toEqual([]);
});

test('docs/prior-systems.md names an existing test in each row', () => {
  const flaws = rows.flatMap(({ id, tests }) => flawsOf(tests).map((flaw) => `${id}: ${flaw}`));
  expect(flaws).toEqual([]);
});

function rowsOf(section: string): Row[] {
  return section
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|(?: # \||---)/.test(line))
    .map((line) => {
      const [, id = '', , , verdict = '', tests = '', ...rest] = line
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim());
      if (rest.join('') !== '') throw new Error(`more than five cells: ${line}`);
      return { id, verdict, tests };
    });
}

/** Lists the flaws of tests such as `path/to/file.test.ts` "a title"<br>`bench/file.ts`. */
function flawsOf(tests: string): string[] {
  return tests.split('<br>').flatMap((each) => {
    const [, path = '', title] = /^`([^`]+\.ts)`(?: "(.+)")?$/.exec(each) ?? [];
    if (path === '') return [`"${each}" names no test`];
    if (!existsSync(join(repository, path))) return [`${path} does not exist`];
    if (path.startsWith('bench/')) return title === undefined ? [] : [`${path} has no titles`];
    if (title === undefined) return [`${path} needs a title`];
    return literals(path).has(title.replace(/\\([\\`*_<|])/g, '$1'))
      ? []
      : [`${path} has no title "${title}"`];
  });
}

/** The string literals of a file that are followed by a comma, as titles are. */
function literals(path: string): Set<string> {
  const found = readFileSync(join(repository, path), 'utf8').matchAll(/(['"`])((?:\\.|(?!\1).)*)\1,/g);
  return new Set([...found].map(([, , text = '']) => text.replace(/\\(.)/g, '$1')));
}
