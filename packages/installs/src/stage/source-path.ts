/** Whether a path of a source is a folder, or is in it. The source itself is the empty path. */
export function liesBelow(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** The folder of a path; empty for a path at the top of the source. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}
