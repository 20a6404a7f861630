// Prints the lines and files of product source in each package: what packages/ has without tests and
// testing/.
//
//   node scripts/check/weight.mjs

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listFiles } from './list-files.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
console.log(table(weightOf(listFiles(root), (path) => readFileSync(join(root, path), 'utf8'))));

/**
 * @param {readonly string[]} paths
 * @param {(path: string) => string} read
 */
function weightOf(paths, read) {
  /** @type {Map<string, { lines: number, files: number }>} */
  const weights = new Map();
  for (const path of paths) {
    const name = /^packages\/([^/]+)\/.*\.(?:ts|tsx|mjs)$/.exec(path)?.[1];
    if (name === undefined || /\.test\.tsx?$|\/(?:testing|fixtures)\//.test(path)) continue;
    const { lines, files } = weights.get(name) ?? { lines: 0, files: 0 };
    weights.set(name, { lines: lines + read(path).split('\n').length - 1, files: files + 1 });
  }
  return weights;
}

/** @param {ReadonlyMap<string, { lines: number, files: number }>} weights */
function table(weights) {
  const rows = [...weights].sort(([, a], [, b]) => b.lines - a.lines);
  const total = { lines: 0, files: 0 };
  for (const [, { lines, files }] of rows) {
    total.lines += lines;
    total.files += files;
  }
  return [...rows, /** @type {const} */ (['all packages', total])]
    .map(([name, { lines, files }]) => `${name.padEnd(22)}${`${lines}`.padStart(8)} lines in ${files} files`)
    .join('\n');
}
