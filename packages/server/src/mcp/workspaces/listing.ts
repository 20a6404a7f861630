import type { Workspace } from '@ambit/core/workspace';
import { workspaceSummary } from '../../wire/answer/workspace.ts';

/**
 * The names in one result. A path of control characters becomes up to seven times longer when
 * escaped.
 */
const [itemsMax, keyCharactersMax] = [500, 32 * 1024];

/** Workspaces as JSON for a model. `more` says how many are left out, and how to get them. */
export const listing = {
  /** The workspaces of a caller, after the id `after` if given. */
  ofAll(workspaces: readonly Workspace[], after: string | undefined): string {
    const start = workspaces.findIndex(({ id }) => id === after) + 1;
    const { shown, more } = page(workspaces.slice(start), ({ id }) => id);
    return JSON.stringify({ workspaces: shown.map(workspaceSummary), ...more });
  },
  /** A workspace with its files, links and empty folders, after the path `after` if given. */
  ofOne(workspace: Workspace, after: string | undefined): string {
    const { files, links, folders } = workspace;
    const entries = [
      ...files.map(({ path, bytes }) => ({ path, bytes })),
      ...links,
      ...folders.map((path) => ({ path, folder: true })),
    ];
    const rest = entries
      .filter(({ path }) => after === undefined || path > after)
      .sort((a, b) => (a.path < b.path ? -1 : 1));
    const { shown, more } = page(rest, ({ path }) => path);
    return JSON.stringify({ ...workspaceSummary(workspace), files: shown, ...more });
  },
};

function page<Item>(
  items: readonly Item[],
  key: (item: Item) => string,
): { shown: readonly Item[]; more: { more?: string } } {
  let left = keyCharactersMax;
  const end = items.findIndex((item, index) => {
    left -= key(item).length;
    return left < 0 || index === itemsMax;
  });
  const last = items[end - 1];
  if (last === undefined) return { shown: items, more: {} };
  const more = `${items.length - end} more; list again with "after": ${JSON.stringify(key(last))}`;
  return { shown: items.slice(0, end), more: { more } };
}
