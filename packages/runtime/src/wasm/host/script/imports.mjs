/** The module name of Ambit's functions for scripts. */
export const hostModule = 'ambit';

/**
 * Resolves an import to the path of a file relative to the skill's folder, or `hostModule`, or
 * returns why it cannot be resolved.
 *
 * Names are compared, never opened: only files that were read beforehand exist.
 *
 * @param {string} importer the path of the file that imports, or `hostModule`
 * @param {string} specifier
 * @returns {{ name: string } | { problem: string }}
 */
export function resolveImport(importer, specifier) {
  if (specifier === hostModule) return { name: hostModule };
  const problem = (/** @type {string} */ why) => ({
    problem: `${importer} imports ${JSON.stringify(specifier)}, and ${why}`,
  });
  if (!/^\.\.?\//.test(specifier)) {
    return problem(`only '${hostModule}' and paths that begin with ./ or ../ can be imported`);
  }
  const path = importer.split('/').slice(0, -1);
  for (const segment of specifier.split('/')) {
    if (segment === '.') continue;
    if (segment !== '..') path.push(segment);
    else if (path.pop() === undefined) return problem("that is outside the skill's folder");
  }
  const name = path.join('/');
  return importable.test(name) ? { name } : problem('only .js, .mjs and .json can be imported');
}

const importable = /\.(m?js|json)$/;
