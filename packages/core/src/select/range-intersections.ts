import semver from 'semver';

/** Checks whether some version satisfies two ranges. Caches each pair. */
export function rangeIntersections(): (a: string, b: string) => boolean {
  const known = new Map<string, boolean>();
  return (a, b) => {
    const key = `${a}\0${b}`;
    const found = known.get(key) ?? semver.intersects(a, b);
    known.set(key, found);
    return found;
  };
}
