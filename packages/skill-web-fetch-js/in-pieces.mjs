import { streamHtmlToMarkdown } from '@mdream/js/core';

/** @typedef {NonNullable<Parameters<typeof streamHtmlToMarkdown>[1]>} Options */

/** The converter's work grows faster than the size of a piece. */
const pieceCharacters = 16 * 1024;

// The converter creates a TextDecoder for pieces of bytes. Here the pieces are text, and it only
// asks for leftover bytes.
/** @type {any} */ (globalThis).TextDecoder ??= class {
  decode() {
    return '';
  }
};

/**
 * Converts HTML to Markdown up to `characters`; further HTML is not read, and `complete` is false.
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
 * The part of a stream that the converter uses.
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
