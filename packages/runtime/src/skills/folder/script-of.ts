import type { Script } from '@ambit/core/skill';
import { isModule, moduleBytesMax } from './is-module.ts';
import type { FolderEntry } from './list-folder.ts';
import { headBytes, startOfHead } from './start-of-head.ts';

/** Returns the number of leading bytes of a listed file that `scriptOf` needs; 0: it is no script. */
export function scriptHeadBytes({ path, bytes, link }: FolderEntry): number {
  if (link !== undefined || bytes === 0 || installed.test(path) || library.test(path)) return 0;
  return sources.test(path) ? moduleBytesMax : headBytes;
}

/**
 * The script that a file of a skill is: what a call may name. `undefined`: supporting files, modules, links, empty files,
 * and packages. Its folder and its mode do not matter: a digest covers no modes, and archives lose them. `head` is its first
 * `scriptHeadBytes`.
 */
export function scriptOf(entry: FolderEntry, head: Buffer): Script | undefined {
  if (scriptHeadBytes(entry) === 0) return undefined;
  const { path } = entry;
  const { interpreter } = startOfHead(path, head.subarray(0, headBytes));
  return interpreter === undefined || isModule(path, head) ? undefined : { path, interpreter };
}

/** Packages that the skill brings are not its own programs. */
const installed = /(?:^|\/)(?:node_modules|site-packages)\//;
/** Nothing to start: compiled, or only types. */
const library = /\.(?:so(?:\.[\d.]+)?|node|o|d\.[cm]?ts)$/;
/** The files that `isModule` reads. */
const sources = /\.(?:py|[cm]?[jt]s)$/;
