/** Whether `path` is `root` or below it. Both are absolute and normalized (see `HostPath`). */
export function liesWithin(path: string, root: string): boolean {
  return path === root || root === '/' || path.startsWith(`${root}/`);
}

/** Whether one of two paths is within the other. */
export function pathsOverlap(a: string, b: string): boolean {
  return liesWithin(a, b) || liesWithin(b, a);
}
