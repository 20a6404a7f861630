/**
 * The path of a request target (`/v1/x?y`) in the form that rules compare: without the query, and
 * without unnecessary escapes. `undefined` for a path that servers interpret differently, to which
 * path rules cannot apply: dot segments, doubled or escaped slashes, backslashes, escaped escapes.
 */
export function plainPath(target: string): string | undefined {
  const written = target.replace(/\?.*$/s, '');
  if (!written.startsWith('/') || /[^\x21-\x7e]|[\\#]|%(?![0-9a-f]{2})/i.test(written)) return undefined;
  if (/%(?:2f|5c|23|3b|3f|25|[01][0-9a-f]|7f)/i.test(written)) return undefined;
  const path = written.replace(/%([0-9a-f]{2})/gi, (octet, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : octet.toUpperCase();
  });
  if (path.includes('//')) return undefined;
  // Some servers strip what follows a semicolon before they resolve dots.
  if (path.split('/').some((segment) => /^\.{1,2}(?:;|$)/.test(segment))) return undefined;
  return path;
}
