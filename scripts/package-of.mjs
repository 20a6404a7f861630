/**
 * The folder of the installed package that a file belongs to; `undefined` for a file of ours.
 * @param {string} path from the root of the repository
 * @returns {string | undefined}
 */
export function packageOf(path) {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
}
