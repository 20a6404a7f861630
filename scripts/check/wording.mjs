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
import { allowedFile, allows, parseAllowed } from './wording/allowed.mjs';
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
  const allowed = parseAllowed(readList(root));
  const found = texts.flatMap(({ path, text }) => findHits(path, text));
  const hits = found.filter((hit) => !allowed.some((entry) => allows(entry, hit)));
  return {
    problems: [
      ...hits.map(hitLine),
      ...allowed
        .filter((entry) => !found.some((hit) => allows(entry, hit)))
        .map(({ line }) => `${allowedFile}:${line}: matches no hit; delete the line`),
    ],
    hits,
    lines: new Map(texts.map(({ path, text }) => [path, text.split('\n').length - 1])),
  };
}

/** @param {string} root */
function readList(root) {
  const path = join(root, allowedFile);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
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
