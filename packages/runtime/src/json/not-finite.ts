interface Location {
  value: unknown;
  key: string | number;
  parent: Location | undefined;
}

/**
 * The position of a number that is not finite, as a JSON pointer (RFC 6901); `undefined`: none.
 * `JSON.parse` reads `1e400` as `Infinity`, and `JSON.stringify` writes that as `null`. Works
 * without recursion.
 */
export function notFiniteAt(value: unknown): string | undefined {
  const remaining: Location[] = [{ value, key: '', parent: undefined }];
  for (let location = remaining.pop(); location !== undefined; location = remaining.pop()) {
    const { value: current } = location;
    if (typeof current === 'number' && !Number.isFinite(current)) return pointerTo(location);
    if (typeof current !== 'object' || current === null) continue;
    for (const [key, inner] of Object.entries(current))
      if (typeof inner === 'number' ? !Number.isFinite(inner) : typeof inner === 'object')
        remaining.push({ value: inner, key, parent: location });
  }
  return undefined;
}

function pointerTo({ key, parent }: Location): string {
  let [pointer, token, ancestor] = ['', key, parent];
  for (; ancestor !== undefined; [token, ancestor] = [ancestor.key, ancestor.parent])
    pointer = `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}${pointer}`;
  return pointer;
}
