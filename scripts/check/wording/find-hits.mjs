import { patterns } from './patterns.mjs';
import { markdownProse, sourceProse } from './prose.mjs';

/**
 * @typedef {{ path: string, line: number, pattern: import('./patterns.mjs').Pattern, sentence:
 * string }} Hit
 */

/**
 * @param {string} path decides how the text is read; see isRead
 * @param {string} text
 * @returns {Hit[]} in the order of the file
 */
export function findHits(path, text) {
  const prose = path.endsWith('.md') ? markdownProse(text) : sourceProse(path, text);
  const found = patterns
    .filter(({ notIn }) => !notIn?.test(path))
    .flatMap((pattern) =>
      [...prose.matchAll(pattern.found)].map(({ index, 0: words }) => ({ pattern, index, words })),
    )
    .sort((a, b) => a.index - b.index);
  return found.map(({ pattern, index, words }) => ({
    path,
    line: text.slice(0, index).split('\n').length,
    pattern,
    sentence: sentenceAround(prose, text, index, index + words.length),
  }));
}

/** @param {string} path */
export function isRead(path) {
  // Excludes prompts for models, fixtures with mistakes, and the patterns
  // themselves.
  const apart =
    /^skills\/|^test\/fixtures\/|^scripts\/check\/wording\/|^test\/architecture\/wording\.test\.ts$/;
  return /\.(?:md|ts|mjs|js|cjs)$/.test(path) && !apart.test(path);
}

/**
 * The sentence as written, including inline code, on one line.
 * @param {string} prose
 * @param {string} text
 * @param {number} from
 * @param {number} to
 */
function sentenceAround(prose, text, from, to) {
  const end = /[.!?](?=\s|\0|$)|\0|\n\s*\n|$/g;
  end.lastIndex = to;
  const stop = end.exec(prose)?.index ?? prose.length;
  const before = prose.slice(Math.max(0, from - 1000), from);
  const start = from - (/(?:(?!\n\s*\n|[.!?]\s)[^\0])*$/.exec(before)?.[0].length ?? 0);
  const written = [...prose.slice(start, stop)].map((char, index) =>
    char === '\u{fffc}' ? text.charAt(start + index) : char,
  );
  return written
    .join('')
    .replace(/\s+/g, ' ')
    .replace(/^[.!?] /, '')
    .trim();
}
