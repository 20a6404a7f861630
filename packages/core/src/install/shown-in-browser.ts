/** The address of a repository as a browser shows it on GitHub, GitLab or Gitea. */
export interface ShownInBrowser {
  /** The path of the repository: `/OWNER/REPOSITORY`. */
  repository: string;
  isFile: boolean;
  /** The branch, tag or commit, and then the path, as in the address. */
  rest: string;
}

/**
 * Takes the path of an address apart that a browser shows: `/OWNER/REPOSITORY/tree/REF/FOLDER`, or `/blob/` with the path of a
 * file. `undefined` for any other path.
 */
export function shownInBrowser(pathname: string): ShownInBrowser | undefined {
  const [, repository, view, rest = ''] =
    /^((?:\/[^/]+){2,}?)(?:\/-)?\/(tree|blob|src\/(?:branch|tag|commit))\/([^/].*)$/.exec(pathname) ?? [];
  return repository === undefined ? undefined : { repository, isFile: view === 'blob', rest };
}
