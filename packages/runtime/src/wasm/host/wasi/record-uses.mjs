/** @import { CallUses } from '../call-uses.mjs' */
/** @import { FolderNode } from './files/nodes.mjs' */
/** @import { OpenFiles } from './open-files.mjs' */
import { errno } from './errno.mjs';

/** The argument with the starting folder's descriptor, if it is not the first. */
const descriptorAt = new Map([['path_symlink', 2]]);

/**
 * Wraps functions to record their use of the grant: the environment, which is passed as a whole,
 * and the workspace, for which every opened or changed path and every listing counts.
 *
 * @param {{ uses?: CallUses | undefined, workspace?: FolderNode | undefined }} of
 * @param {OpenFiles} open
 * @param {Record<string, (...args: any[]) => number>} functions
 */
export function recordUses({ uses, workspace }, open, functions) {
  if (uses === undefined) return functions;
  return Object.fromEntries(
    Object.entries(functions).map(([name, run]) => {
      if (name === 'environ_get') return [name, noted(run, () => uses.environment())];
      const usesFolder = name.startsWith('path_') || name === 'fd_readdir';
      if (workspace === undefined || !usesFolder) return [name, run];
      const at = descriptorAt.get(name) ?? 0;
      const isInWorkspace = (/** @type {any[]} */ args) =>
        open.find(args[at])?.node?.volume === workspace.volume;
      return [name, noted(run, (args) => isInWorkspace(args) && uses.workspace())];
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
