import { SkillError } from '../execute/skill-error.ts';
import type { StoredFile, Workspace } from './workspace.ts';

/** The file at a path. Throws `WORKSPACE_FILE_NOT_FOUND`. */
export function fileOf({ id, files }: Workspace, path: string): StoredFile {
  const file = files.find((each) => each.path === path);
  if (file !== undefined) return file;
  throw new SkillError(
    'WORKSPACE_FILE_NOT_FOUND',
    `workspace ${id} has no file ${JSON.stringify(path.slice(0, 200))}; list its files`,
  );
}
