interface Place {
  value: unknown;
  key: string | number;
  within: Place | undefined;
}

/**
 * Where a value has a number that is not finite, as a JSON pointer (RFC 6901); `undefined`: nowhere. `JSON.parse` reads
 * `1e400` as `Infinity`, and `JSON.stringify` writes that as `null`. Works without recursion.
 */
export function notFiniteAt(value: unknown): string | undefined {
  const left: Place[] = [{ value, key: '', within: undefined }];
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    const { value: here } = place;
    if (typeof here === 'number' && !Number.isFinite(here)) return pointerTo(place);
    if (typeof here !== 'object' || here === null) continue;
    for (const [key, inner] of Object.entries(here))
      if (typeof inner === 'number' ? !Number.isFinite(inner) : typeof inner === 'object')
        left.push({ value: inner, key, within: place });
  }
  return undefined;
}

function pointerTo({ key, within }: Place): string {
  let [pointer, token, above] = ['', key, within];
  for (; above !== undefined; [token, above] = [above.key, above.within])
    pointer = `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}${pointer}`;
  return pointer;
}
