/** The name by which a script imports what the host gives it. */
export const hostModule = 'ambit';

/**
 * What an import means: the path of a file relative to the skill's folder, or `hostModule`. Where it means neither, the
 * answer is the sentence that says so, which no file has for a path.
 *
 * Names are compared and never opened: what is not among the files that were read beforehand is not there.
 *
 * @param {string} importer the path of the file that imports, or `hostModule`
 * @param {string} specifier
 */
export function resolveImport(importer, specifier) {
  if (specifier === hostModule) return hostModule;
  const where = `${importer} imports ${JSON.stringify(specifier)}, and `;
  if (!/^\.\.?\//.test(specifier)) {
    return `${where}only '${hostModule}' and paths that begin with ./ or ../ can be imported`;
  }
  const path = importer.split('/').slice(0, -1);
  for (const segment of specifier.split('/')) {
    if (segment === '.') continue;
    if (segment !== '..') path.push(segment);
    else if (path.pop() === undefined) return `${where}that is outside of the skill's folder`;
  }
  const name = path.join('/');
  return importable.test(name) ? name : `${where}only .js, .mjs and .json can be imported`;
}

const importable = /\.(m?js|json)$/;

/**
 * The sentence for a name that no file has.
 *
 * @param {string} name what `resolveImport` gave
 */
export function whyNotThere(name) {
  return name.includes(' imports ') ? name : `there is no ${name} in the skill's folder`;
}
