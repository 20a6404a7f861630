/** Whether `path` is `root` or lies beneath it. Both are absolute and plain (see `HostPath`). */
export function liesWithin(path: string, root: string): boolean {
  return path === root || root === '/' || path.startsWith(`${root}/`);
}

/** Whether two places share anything: one lies within the other. */
export function pathsOverlap(a: string, b: string): boolean {
  return liesWithin(a, b) || liesWithin(b, a);
}
