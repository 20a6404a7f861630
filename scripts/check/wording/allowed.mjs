/** @typedef {{ pattern: string, path: string, text: string, line: number }} Allowed */

/**
 * @param {string} list lines of `pattern | path | text`; blank ones and those with a # are comments
 * @returns {Allowed[]}
 */
export function parseAllowed(list) {
  return contentLines(list).map(({ text, line }) => {
    const [pattern, path, ...rest] = text.split(' | ');
    if (!pattern || !path || rest.length === 0) {
      throw new Error(`${allowedFile}:${line}: expected: pattern | path | text of the sentence`);
    }
    return { pattern, path, text: rest.join(' | '), line };
  });
}

export const allowedFile = 'scripts/check/wording/allowed.txt';

/**
 * @param {Allowed} allowed
 * @param {import('./find-hits.mjs').Hit} hit
 */
export function allows(allowed, hit) {
  return (
    allowed.pattern === hit.pattern.name && allowed.path === hit.path && hit.sentence.includes(allowed.text)
  );
}

/** @param {string} list */
function contentLines(list) {
  return list
    .split('\n')
    .map((text, index) => ({ text: text.trim(), line: index + 1 }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'));
}
