import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The variable that names the file which test/support/processor-time.ts writes. */
export const processorTimeVariable = 'TEST_PROCESSOR_TIME';

/** @typedef {{ file: string, ms: number, wallMs: number }} FileTime of the processor, and of the clock */
/** @typedef {{ name: string, assertionResults: readonly unknown[] }} FileReport */
/** @typedef {{ files: number, tests: number, lines: number, ms: number }} Weight */

/**
 * The files, tests, lines and processor time of each project, and the slowest files. Processor time is of user and system
 * mode, child processes included. What Vitest's main process uses is left out.
 * @param {string} root
 * @param {object} run
 * @param {string} run.measured the file with the measurements
 * @param {readonly FileReport[]} run.reports
 * @param {readonly string[]} run.paths of the repository's files
 * @param {number} run.filesMax
 */
export function testTimes(root, { measured, reports, paths, filesMax }) {
  const times = timesIn(root, measured);
  /** @type {Map<string, Weight>} */
  const projects = new Map();
  const add = (/** @type {string} */ name, /** @type {Partial<Weight>} */ more) => {
    const { files, tests, lines, ms } = projects.get(name) ?? { files: 0, tests: 0, lines: 0, ms: 0 };
    projects.set(name, {
      files: files + (more.files ?? 0),
      tests: tests + (more.tests ?? 0),
      lines: lines + (more.lines ?? 0),
      ms: ms + (more.ms ?? 0),
    });
  };
  for (const { name, assertionResults } of reports)
    add(projectOf(relative(root, name)), { files: 1, tests: assertionResults.length });
  for (const { file, ms } of times) add(projectOf(file), { ms });
  for (const path of paths) {
    const name = /\.test\.tsx?$/.test(path) ? projectOf(path) : isSupport(path) ? 'support' : undefined;
    // If only a part of the projects runs, count its lines.
    if (name === 'support' || (name !== undefined && projects.has(name)))
      add(name, { lines: readFileSync(join(root, path), 'utf8').split('\n').length - 1 });
  }
  const rows = [...projects].sort(([, a], [, b]) => b.ms - a.ms || b.lines - a.lines);
  for (const [, weight] of rows.slice()) add('all', weight);
  const slowest = (/** @type {'ms' | 'wallMs'} */ key) =>
    times.toSorted((a, b) => b[key] - a[key]).slice(0, filesMax);
  return [
    columns('', 'files', 'tests', 'lines', 'processor'),
    ...[
      ...rows,
      /** @type {const} */ (['all', projects.get('all') ?? { files: 0, tests: 0, lines: 0, ms: 0 }]),
    ].map(([name, { files, tests, lines, ms }]) =>
      columns(name, String(files), String(tests), String(lines), seconds(ms)),
    ),
    '',
    'Files that take longest:',
    ...slowest('wallMs').map(({ file, wallMs }) => fileRow(file, wallMs)),
    'Files that take most processor time:',
    ...slowest('ms').map(({ file, ms }) => fileRow(file, ms)),
  ].join('\n');
}

/**
 * @param {string} root
 * @param {string} measured
 * @returns {FileTime[]}
 */
function timesIn(root, measured) {
  const lines = existsSync(measured) ? readFileSync(measured, 'utf8').split('\n').filter(Boolean) : [];
  return lines.map((line) => {
    const { file, ms, wallMs } = JSON.parse(line);
    return { file: relative(root, file), ms, wallMs };
  });
}

/**
 * The project of a file of tests, as in vitest.config.ts.
 * @param {string} file
 */
function projectOf(file) {
  if (file.startsWith('examples/')) return 'e2e';
  return /^test\/(contract|conformance|security|e2e)\//.exec(file)?.[1] ?? 'unit';
}

/**
 * Code of tests in files that are no tests.
 * @param {string} path
 */
function isSupport(path) {
  return /\.(?:ts|tsx|mjs)$/.test(path) && (path.startsWith('test/') || path.includes('/testing/'));
}

/** @param {string[]} cells */
function columns(name = '', ...cells) {
  return `${name.padEnd(14)}${cells.map((cell) => cell.padStart(11)).join('')}`;
}

/**
 * @param {string} file
 * @param {number} ms
 */
function fileRow(file, ms) {
  return `  ${file.padEnd(68)}${seconds(ms).padStart(10)}`;
}

/** @param {number} ms */
function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}
