import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** The variable that names the file which test/support/processor-time.ts writes. */
export const processorTimeVariable = 'TEST_PROCESSOR_TIME';

/** @typedef {{ file: string, ms: number }} FileTime */

/**
 * The processor time of the tests, the largest first: of projects, then of the files that take most of it. Counts user and
 * system mode, child processes included. What Vitest's main process uses is left out.
 * @param {string} root
 * @param {string} measured the file with the measurements
 * @param {number} filesMax
 */
export function processorTimeTable(root, measured, filesMax) {
  const lines = existsSync(measured) ? readFileSync(measured, 'utf8').split('\n').filter(Boolean) : [];
  /** @type {FileTime[]} */
  const files = lines.map((line) => {
    const { file, ms } = JSON.parse(line);
    return { file: relative(root, file), ms };
  });
  /** @type {Map<string, number>} */
  const projects = new Map();
  for (const { file, ms } of files) projects.set(projectOf(file), (projects.get(projectOf(file)) ?? 0) + ms);
  const total = files.reduce((sum, { ms }) => sum + ms, 0);
  const ordered = files.toSorted((a, b) => b.ms - a.ms).slice(0, filesMax);
  return [
    row('Processor time of all tests', total),
    ...[...projects].sort(([, a], [, b]) => b - a).map(([project, ms]) => row(`  ${project}`, ms)),
    'Files that take most of it:',
    ...ordered.map(({ file, ms }) => row(`  ${file}`, ms)),
  ].join('\n');
}

/**
 * The project of a file, as in vitest.config.ts.
 * @param {string} file
 */
function projectOf(file) {
  if (file.startsWith('examples/')) return 'e2e';
  return /^test\/(contract|conformance|security|e2e)\//.exec(file)?.[1] ?? 'unit';
}

/**
 * @param {string} name
 * @param {number} ms
 */
function row(name, ms) {
  return `${name.padEnd(70)}${(ms / 1000).toFixed(1).padStart(8)} s`;
}
