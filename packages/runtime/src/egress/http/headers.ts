/** Names and values as sent, in order and with repetitions. */
export type HeaderList = readonly (readonly [string, string])[];

/** Hop-by-hop headers (RFC 9110, section 7.6.1) and headers for proxies. */
const hopByHop = [
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Pairs from Node's flat list of raw headers. */
export function headerList(raw: readonly string[]): [string, string][] {
  const list: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) list.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return list;
}

/** All values of a header; the name in lower case. */
export function valuesOf(headers: HeaderList, name: string): string[] {
  return headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
}

/** Removes hop-by-hop headers, headers listed in `Connection`, and `others`. */
export function endToEnd(headers: HeaderList, others: readonly string[] = []): [string, string][] {
  const named = valuesOf(headers, 'connection').flatMap((value) => value.toLowerCase().split(/[\s,]+/));
  const dropped = new Set([...hopByHop, ...named, ...others]);
  return headers.filter(([name]) => !dropped.has(name.toLowerCase())).map(([name, value]) => [name, value]);
}
