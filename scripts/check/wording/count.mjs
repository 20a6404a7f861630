import { patterns } from './patterns.mjs';

/** @typedef {{ area: string, hits: number, lines: number }} AreaCount */

const areas = ['docs', 'core', 'runtime', 'server', 'client', 'other packages', 'tests', 'tools'];

/** @param {string} path */
function areaOf(path) {
  if (path.endsWith('.md')) return 'docs';
  if (path.startsWith('test/') || path.endsWith('.test.ts')) return 'tests';
  const name = /^packages\/([^/]+)\//.exec(path)?.[1];
  if (name === undefined) return 'tools';
  return areas.includes(name) ? name : 'other packages';
}

/**
 * @param {import('./find-hits.mjs').Hit[]} hits
 * @param {ReadonlyMap<string, number>} linesByPath
 * @returns {string} a table in Markdown: a row for each pattern, a column for each area
 */
export function countTable(hits, linesByPath) {
  const hitsOf = (/** @type {string} */ area, name = '') =>
    hits.filter(({ path, pattern }) => areaOf(path) === area && (name === '' || pattern.name === name))
      .length;
  const row = (/** @type {string} */ name, /** @type {readonly (string | number)[]} */ cells) =>
    `| ${name} | ${cells.join(' | ')} |`;
  const withSum = (/** @type {number[]} */ counts) => [
    ...counts,
    counts.reduce((sum, count) => sum + count, 0),
  ];
  const hitCounts = withSum(areas.map((area) => hitsOf(area)));
  const lineCounts = withSum(areas.map((area) => linesIn(linesByPath, (path) => areaOf(path) === area)));
  return [
    row('pattern', [...areas, 'all']),
    `|---${'|---:'.repeat(areas.length + 1)}|`,
    ...patterns.map(({ name }) => row(name, withSum(areas.map((area) => hitsOf(area, name))))),
    row('**hits**', hitCounts),
    row('lines', lineCounts),
    row(
      '**hits per 1,000 lines**',
      hitCounts.map((count, index) => perThousand(count, lineCounts[index] ?? 0)),
    ),
  ].join('\n');
}

/**
 * @param {import('./find-hits.mjs').Hit[]} hits
 * @param {ReadonlyMap<string, number>} linesByPath
 */
export function countSummary(hits, linesByPath) {
  const rate = (/** @type {(area: string) => boolean} */ wanted) =>
    perThousand(
      hits.filter(({ path }) => wanted(areaOf(path))).length,
      linesIn(linesByPath, (path) => wanted(areaOf(path))),
    );
  const apart = ['docs', 'tests', 'tools'];
  const docs = rate((area) => area === 'docs');
  return `hits per 1,000 lines: docs ${docs}, source ${rate((area) => !apart.includes(area))}, tests ${rate((area) => area === 'tests')}`;
}

/**
 * @param {ReadonlyMap<string, number>} linesByPath
 * @param {(path: string) => boolean} wanted
 */
function linesIn(linesByPath, wanted) {
  return [...linesByPath].reduce((sum, [path, lines]) => (wanted(path) ? sum + lines : sum), 0);
}

/**
 * @param {number} count
 * @param {number} lines
 */
function perThousand(count, lines) {
  return lines === 0 ? '0.0' : ((count * 1000) / lines).toFixed(1);
}
