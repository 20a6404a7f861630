import type { Workspace } from '@ambit/core';
import { workspaceSummary } from '../../wire/answer/workspace-answer.ts';

/** What one answer names. A path of control characters grows up to sevenfold when it is escaped. */
const [filesMax, pathCharactersMax] = [500, 32 * 1024];

/** Workspaces as JSON for a model. */
export const listing = {
  /** All of a caller's. */
  ofAll(workspaces: readonly Workspace[]): string {
    return JSON.stringify({ workspaces: workspaces.map(workspaceSummary) });
  },
  /** One with its files, those after a path where one is given. `more` says how many are left out, and how to get them. */
  ofOne(workspace: Workspace, after: string | undefined): string {
    const rest = workspace.files.filter(({ path }) => after === undefined || path > after);
    let left = pathCharactersMax;
    const end = rest.findIndex(({ path }, index) => {
      left -= path.length;
      return left < 0 || index === filesMax;
    });
    const shown = end === -1 ? rest : rest.slice(0, end);
    const more = `${rest.length - shown.length} files follow; list again with "after": ${JSON.stringify(shown.at(-1)?.path)}`;
    return JSON.stringify({
      ...workspaceSummary(workspace),
      files: shown.map(({ path, bytes }) => ({ path, bytes })),
      ...(end === -1 ? {} : { more }),
    });
  },
};
