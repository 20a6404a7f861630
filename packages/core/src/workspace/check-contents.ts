import { SkillError } from '../outcome/skill-error.ts';
import { usedBytes, type Workspace, type WorkspaceContents } from './workspace.ts';
import { foldersOf, isWorkspacePath, staysInside } from './workspace-file.ts';

/** Limits for every workspace, besides the operator's. */
export const contentsBounds = {
  /** Files, links and folders: the most that an operator can allow. Their lists are held in memory. */
  entries: 200_000,
  /** Names in a path. */
  depth: 32,
  /** Per name, in UTF-8. */
  nameBytes: 255,
  /** All paths together, in UTF-8. They stay in memory while the workspace exists. */
  pathBytes: 8 * 1024 * 1024,
} as const;

/**
 * Checks the content of a workspace. Throws `INPUT_INVALID` for an invalid path or a file where a
 * folder is needed, and `WORKSPACE_FULL` above the quota or a limit.
 */
export function checkContents(
  workspace: WorkspaceContents & Pick<Workspace, 'quotaBytes'>,
  entriesMax: number,
): void {
  const { files, links, quotaBytes } = workspace;
  const paths = new Set<string>();
  const folders = new Set<string>();
  for (const path of workspace.folders) {
    const problem = pathProblem(path);
    if (problem !== undefined) throw invalid(path, problem);
    folders.add(path);
  }
  for (const { path } of [...files, ...links]) {
    const problem = pathProblem(path);
    if (problem !== undefined) throw invalid(path, problem);
    paths.add(path);
  }
  for (const path of [...paths, ...workspace.folders])
    for (const folder of foldersOf(path)) folders.add(folder);
  for (const folder of folders)
    if (paths.has(folder)) throw invalid(folder, 'is both a file and the folder of another file');
  for (const each of links)
    if (!staysInside(each))
      throw invalid(
        each.path,
        'is a link that leads out of the workspace; use a relative target without "..", except at its start',
      );
  if (paths.size + folders.size > entriesMax)
    throw full(
      `it would have ${paths.size + folders.size} files and folders; the limit is ${entriesMax}, set by workspaces.maxFiles`,
      'Delete files, or raise that setting',
    );
  const encoder = new TextEncoder();
  const texts = [...paths, ...workspace.folders, ...links.map(({ link }) => link)];
  const pathBytes = texts.reduce((sum, text) => sum + encoder.encode(text).length, 0);
  if (pathBytes > contentsBounds.pathBytes)
    throw full(
      `its paths would have ${pathBytes} bytes; the limit is ${contentsBounds.pathBytes}`,
      'Delete files, or use shorter paths',
    );
  const used = usedBytes(workspace);
  if (used > quotaBytes)
    throw full(
      `it would have ${used} bytes; its quota is ${quotaBytes}`,
      'Delete files, or create a workspace with a larger quota',
    );
}

/** Throws `WORKSPACE_FULL` if all workspaces together would have more bytes than they may. */
export function checkTotal(used: number, others: number, totalBytesMax: number): void {
  if (used + others <= totalBytesMax) return;
  throw new SkillError(
    'WORKSPACE_FULL',
    `all workspaces together would have ${used + others} bytes; the limit is ${totalBytesMax}, set by workspaces.maxTotalBytes. Delete workspaces, or raise it`,
  );
}

/** Explains why a path is invalid in a workspace; `undefined` if it is valid. */
export function pathProblem(path: string): string | undefined {
  if (!isWorkspacePath(path))
    return 'is not a valid path in a workspace: write a relative path without ".", "..", empty parts, backslashes and control characters';
  // U+FFFD replaces bytes that are not UTF-8, so two names could become one.
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

function full(problem: string, remedy: string): SkillError {
  return new SkillError('WORKSPACE_FULL', `the workspace is full: ${problem}. ${remedy}`);
}
