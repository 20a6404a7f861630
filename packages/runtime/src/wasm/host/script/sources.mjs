/** @import { Modules } from './interpreter.mjs' */
import { readFileSync } from 'node:fs';
import { messageOf } from './error-text.mjs';
import { hostModule, resolveImport, whyNotThere } from './imports.mjs';

/** The module that a world begins with, and that gives a script what the host does for it. */
export const hostModuleSource = readFileSync(new URL('inside/ambit.mjs', import.meta.url), 'utf8');

/**
 * A file as the engine reads it, or the reason why it cannot.
 *
 * @param {string} path
 * @param {Uint8Array} bytes
 */
export function sourceOf(path, bytes) {
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return 'is not UTF-8';
  }
  // The engine reads up to the first one.
  if (text.includes('\0')) return 'has a NUL character in it';
  if (!path.endsWith('.json')) return new TextEncoder().encode(text);
  try {
    // By the parser, since JavaScript takes some keys of an object otherwise than JSON does.
    return new TextEncoder().encode(
      `export default JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(text)))})`,
    );
  } catch (error) {
    return `is not JSON: ${messageOf(error)}`;
  }
}

/**
 * What a script can import: the files that were read beforehand, and the host's module.
 *
 * @param {Map<string, Uint8Array>} sources
 * @returns {Modules}
 */
export function modulesOf(sources) {
  return {
    resolve: resolveImport,
    sourceOf: (name) => (name === hostModule ? hostModuleSource : sources.get(name)),
    missing: whyNotThere,
  };
}
