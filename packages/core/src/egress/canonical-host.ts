/**
 * The canonical form of a host, for comparisons: lower case, without a trailing dot, IDN in
 * punycode, an IPv4 address of any notation (octal, hexadecimal, one number, inside IPv6) as four
 * decimals, IPv6 compressed in brackets. `undefined` for anything that is not a host or is
 * ambiguous: control bytes, NUL, spaces, percent-escapes, user-info, a port.
 */
export function canonicalHost(text: string): string | undefined {
  if (text.length > 255 || hasOddCharacter(text)) return undefined;
  // `URL` would silently drop the default port.
  if (text.includes(':') && !/^\[[0-9a-f:.]+\]$/i.test(text)) return undefined;
  const written = `http://${text}/`;
  if (!URL.canParse(written)) return undefined;
  const host = new URL(written).hostname.replace(/\.$/, '');
  if (host.startsWith('[')) return fromMapped(host);
  return isName(host) ? host : undefined;
}

/**
 * Parses `host:port` into canonical form; the port defaults to `defaultPort`. `undefined` for
 * anything else.
 */
export function readAuthority(
  text: string,
  defaultPort: number | undefined,
): { host: string; port: number } | undefined {
  const parts = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text);
  const host = canonicalHost(parts?.[1] ?? '');
  const port = parts?.[2] === undefined ? defaultPort : Number(parts[2]);
  if (host === undefined || port === undefined || port < 1 || port > 65_535) return undefined;
  return { host, port };
}

/** The 16 bytes of an IPv6 address in canonical form, in brackets. */
export function ipv6Bytes(host: string): number[] {
  const [head = '', tail] = host.slice(1, -1).split('::');
  const groups = (part: string | undefined): number[] =>
    part ? part.split(':').map((group) => Number.parseInt(group, 16)) : [];
  const [left, right] = [groups(head), groups(tail)];
  const all = [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
  return all.flatMap((group) => [group >> 8, group & 0xff]);
}

function hasOddCharacter(text: string): boolean {
  return [...text].some((character) => character <= ' ' || '\x7f%@/\\?#<>^|'.includes(character));
}

/** An IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) becomes the IPv4 address. */
function fromMapped(host: string): string {
  const bytes = ipv6Bytes(host);
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return mapped ? bytes.slice(12).join('.') : host;
}

function isName(host: string): boolean {
  return (
    host.length <= 253 &&
    host.split('.').every((label) => label.length <= 63 && /^[a-z0-9_](?:[a-z0-9_-]*)$/.test(label))
  );
}
