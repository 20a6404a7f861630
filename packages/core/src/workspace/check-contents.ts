import { SkillError } from '../execute/skill-error.ts';
import { isWorkspacePath } from '../execute/workspace-file.ts';
import { usedBytes, type Workspace } from './workspace.ts';

/** Bounds that hold for every workspace: whatever fits can be put into a sandbox and be read back from there whole. */
export const contentsBounds = {
  /** Files and the folders that they lie in. */
  entries: 4000,
  /** Names in a path. */
  depth: 32,
  /** Of one name, in UTF-8. */
  nameBytes: 255,
  /** Of all paths together, in UTF-8: each is in memory for as long as there is the workspace. */
  pathBytes: 512 * 1024,
  /** The most that a quota can be. */
  quotaBytes: 16 * 1024 * 1024,
} as const;

/**
 * Whether files can be what a workspace holds. Throws `INPUT_INVALID` for a path that is none, or a file where another
 * needs a folder, and `WORKSPACE_FULL` for more than the quota or than may be.
 */
export function checkContents(workspace: Pick<Workspace, 'files' | 'quotaBytes'>): void {
  const { files, quotaBytes } = workspace;
  const paths = new Set<string>();
  const folders = new Set<string>();
  for (const { path } of files) {
    const problem = pathProblem(path);
    if (problem !== undefined) throw invalid(path, problem);
    paths.add(path);
    for (let at = path.lastIndexOf('/'); at !== -1; at = path.lastIndexOf('/', at - 1))
      folders.add(path.slice(0, at));
  }
  for (const folder of folders)
    if (paths.has(folder)) throw invalid(folder, 'is a file, and a folder that another file lies in');
  if (paths.size + folders.size > contentsBounds.entries)
    throw full(
      `it would have ${paths.size + folders.size} files and folders, and may have ${contentsBounds.entries}`,
    );
  const encoder = new TextEncoder();
  const pathBytes = files.reduce((sum, { path }) => sum + encoder.encode(path).length, 0);
  if (pathBytes > contentsBounds.pathBytes)
    throw full(`its paths would have ${pathBytes} bytes, and may have ${contentsBounds.pathBytes}`);
  const used = usedBytes(workspace);
  if (used > quotaBytes) throw full(`it would have ${used} bytes, and its quota is ${quotaBytes}`);
}

/** Why a path can be none of a file in a workspace; `undefined` when it can. */
export function pathProblem(path: string): string | undefined {
  if (!isWorkspacePath(path))
    return 'is no place in a workspace: write a relative path without ".", "..", empty parts, backslashes and control characters';
  // U+FFFD stands for bytes that were no UTF-8: two names could be one.
  if (!path.isWellFormed() || path.includes('\uFFFD')) return 'is not a name in UTF-8';
  const parts = path.split('/');
  if (parts.length > contentsBounds.depth) return `is nested more than ${contentsBounds.depth} deep`;
  const encoder = new TextEncoder();
  if (parts.some((part) => encoder.encode(part).length > contentsBounds.nameBytes))
    return `has a name of more than ${contentsBounds.nameBytes} bytes`;
  return undefined;
}

function invalid(path: string, problem: string): SkillError {
  return new SkillError('INPUT_INVALID', `${JSON.stringify(path.slice(0, 200))} ${problem}`);
}

function full(problem: string): SkillError {
  return new SkillError(
    'WORKSPACE_FULL',
    `the workspace cannot hold this: ${problem}; delete some of its files, or make one with a larger quota`,
  );
}
