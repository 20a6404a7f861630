// Checks the wording of Markdown, comments, messages and test names: finds stiff phrases and former
// names.
//
//   node scripts/check/wording.mjs [--count] [--root FOLDER]
//
// --count prints the hits of each pattern in each area as a Markdown table. --root checks another
// checkout.

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { listFiles } from './list-files.mjs';
import { allowedFile, allows, notYetFile, parseAllowed, parseNotYet } from './wording/allowed.mjs';
import { countSummary, countTable } from './wording/count.mjs';
import { findHits, isRead } from './wording/find-hits.mjs';

/** @typedef {import('./wording/find-hits.mjs').Hit} Hit */

/**
 * @param {string} root
 * @returns the problems as text, every hit that is not allowed, and each file's number of lines
 */
function checkWording(root) {
  const files = listFiles(root).filter(isRead);
  const texts = files.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
  const allowed = parseAllowed(readList(root, allowedFile));
  const notYet = parseNotYet(readList(root, notYetFile));
  const found = texts.flatMap(({ path, text }) => findHits(path, text));
  const hits = found.filter((hit) => !allowed.some((entry) => allows(entry, hit)));
  const isLater = (/** @type {Hit} */ { path }) => notYet.some((entry) => isIn(path, entry.path));
  return {
    problems: [
      ...hits.filter((hit) => !isLater(hit)).map(hitLine),
      ...allowed
        .filter((entry) => !found.some((hit) => allows(entry, hit)))
        .map(({ line }) => `${allowedFile}:${line}: matches no hit; delete the line`),
      ...notYet
        .filter(({ path }) => !hits.some((hit) => isIn(hit.path, path)))
        .map(({ path, line }) => `${notYetFile}:${line}: ${path} has no hits; delete the line`),
    ],
    hits,
    lines: new Map(texts.map(({ path, text }) => [path, text.split('\n').length - 1])),
  };
}

/**
 * @param {string} root
 * @param {string} file
 */
function readList(root, file) {
  const path = join(root, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/**
 * @param {string} path
 * @param {string} entry a file or folder
 */
function isIn(path, entry) {
  return path === entry || path.startsWith(`${entry}/`);
}

/** @param {Hit} hit */
function hitLine({ path, line, pattern, sentence }) {
  return `${path}:${line}: ${pattern.name}: "${sentence}"\n    instead: ${pattern.instead}`;
}

function main() {
  const { values } = parseArgs({
    options: {
      count: { type: 'boolean', default: false },
      root: { type: 'string', default: fileURLToPath(new URL('../..', import.meta.url)) },
    },
  });
  const { problems, hits, lines } = checkWording(resolve(values.root));
  if (values.count) return console.log(countTable(hits, lines));
  if (lines.size === 0) problems.push(`${values.root} has no files to check`);
  const summary = countSummary(hits, lines);
  if (problems.length === 0) return console.log(summary);
  console.log(`${problems.join('\n')}\n`);
  console.log(`${problems.length} to change; add correct uses to ${allowedFile}. ${summary}`);
  process.exitCode = 1;
}

main();
