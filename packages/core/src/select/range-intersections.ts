import semver from 'semver';

/** Tells whether some version satisfies two ranges; each pair is looked at once. */
export function rangeIntersections(): (a: string, b: string) => boolean {
  const known = new Map<string, boolean>();
  return (a, b) => {
    const key = `${a}\0${b}`;
    const found = known.get(key) ?? semver.intersects(a, b);
    known.set(key, found);
    return found;
  };
}
