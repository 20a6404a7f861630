/** @import { CallUses } from '../call-uses.mjs' */
/** @import { FolderNode } from './files/nodes.mjs' */
/** @import { OpenFiles } from './open-files.mjs' */
import { errno } from './errno.mjs';

/** Where a function has the descriptor of the folder that it begins at, if that is not its first argument. */
const descriptorAt = new Map([['path_symlink', 2]]);

/**
 * The same functions, which note what they use of the grant: the environment, which is handed out whole, and the workspace, of
 * which every path that is opened or changed and every list counts.
 *
 * @param {{ uses?: CallUses | undefined, workspace?: FolderNode | undefined }} of
 * @param {OpenFiles} open
 * @param {Record<string, (...args: any[]) => number>} functions
 */
export function notedUses({ uses, workspace }, open, functions) {
  if (uses === undefined) return functions;
  return Object.fromEntries(
    Object.entries(functions).map(([name, run]) => {
      if (name === 'environ_get') return [name, noted(run, () => uses.environment())];
      const usesFolder = name.startsWith('path_') || name === 'fd_readdir';
      if (workspace === undefined || !usesFolder) return [name, run];
      const at = descriptorAt.get(name) ?? 0;
      const isThere = (/** @type {any[]} */ args) => open.find(args[at])?.node?.volume === workspace.volume;
      return [name, noted(run, (args) => isThere(args) && uses.workspace())];
    }),
  );
}

/**
 * @param {(...args: any[]) => number} run
 * @param {(args: any[]) => void} note
 */
function noted(run, note) {
  return (/** @type {any[]} */ ...args) => {
    const answer = run(...args);
    if (answer === errno.success) note(args);
    return answer;
  };
}
