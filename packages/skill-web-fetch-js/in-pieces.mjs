import { streamHtmlToMarkdown } from '@mdream/js/core';

/** @typedef {NonNullable<Parameters<typeof streamHtmlToMarkdown>[1]>} Options */

/** The converter's work on one piece grows faster than the piece does. */
const pieceCharacters = 16 * 1024;

// The converter makes one for pieces of bytes; ours are text, for which it asks it what bytes are left over.
/** @type {any} */ (globalThis).TextDecoder ??= class {
  decode() {
    return '';
  }
};

/**
 * HTML as Markdown, of which it does no more than to come to `characters`: what is beyond is not looked at, and
 * `complete` is false.
 *
 * @param {string} html
 * @param {number} characters
 * @param {Options} options
 */
export async function markdownInPieces(html, characters, options) {
  let markdown = '';
  for await (const piece of streamHtmlToMarkdown(streamOf(html), options)) {
    markdown += piece;
    if (markdown.length > characters) return { markdown, complete: false };
  }
  return { markdown: markdown.trim(), complete: true };
}

/**
 * As much of a stream as the converter uses.
 *
 * @param {string} html
 * @returns {any}
 */
function streamOf(html) {
  let at = 0;
  return {
    getReader: () => ({
      async read() {
        if (at >= html.length) return { done: true };
        const value = html.slice(at, at + pieceCharacters);
        at += pieceCharacters;
        return { done: false, value };
      },
      releaseLock: () => undefined,
    }),
  };
}
