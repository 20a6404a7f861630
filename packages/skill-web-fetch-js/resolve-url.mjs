/** A URI's parts, as RFC 3986 takes them apart in its appendix B: every text is a URI reference. */
const parts = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/;

/**
 * Where a link leads, as an absolute `http` or `https` URL without its fragment (RFC 3986, section 5.2); `undefined` for
 * what is not one, such as `mailto:` and `javascript:`.
 *
 * @param {string} reference as a page or a Location header has it
 * @param {string} base an absolute URL
 */
export function resolveUrl(reference, base) {
  const [, scheme, authority, path = '', query] = partsOf(reference);
  const [, baseScheme, baseAuthority, basePath = '', baseQuery] = partsOf(base);
  if (scheme !== undefined) return urlOf(scheme, authority, path, query);
  if (authority !== undefined) return urlOf(baseScheme, authority, path, query);
  if (path === '') return urlOf(baseScheme, baseAuthority, basePath, query ?? baseQuery);
  return urlOf(baseScheme, baseAuthority, path.startsWith('/') ? path : merged(basePath, path), query);
}

/** @param {string} reference */
function partsOf(reference) {
  return /** @type {RegExpExecArray} */ (parts.exec(encoded(reference)));
}

/**
 * With what browsers take in a link, and a URI has not: line breaks in the middle, spaces, other letters than ASCII's.
 *
 * @param {string} reference
 */
function encoded(reference) {
  return reference
    .trim()
    .replace(/[\t\n\r]/g, '')
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[^!-~]+|["<>\\^`{|}]/g, encodeURIComponent);
}

/**
 * @param {string | undefined} scheme
 * @param {string | undefined} authority
 * @param {string} path
 * @param {string | undefined} query
 */
function urlOf(scheme = '', authority, path, query) {
  if (!/^https?$/i.test(scheme) || !authority) return undefined;
  return `${scheme.toLowerCase()}://${authority}${withoutDots(path) || '/'}${query === undefined ? '' : `?${query}`}`;
}

/**
 * @param {string} basePath
 * @param {string} path
 */
function merged(basePath, path) {
  return `${basePath.slice(0, basePath.lastIndexOf('/') + 1) || '/'}${path}`;
}

/**
 * The path without its `.` and `..` segments.
 *
 * @param {string} path
 */
function withoutDots(path) {
  const segments = path.split('/');
  const last = segments.at(-1);
  /** @type {string[]} */
  const kept = [];
  for (const segment of segments.slice(1)) {
    if (segment === '..') kept.pop();
    else if (segment !== '.') kept.push(segment);
  }
  // `/a/..` is the folder, with its slash.
  if (last === '.' || last === '..') kept.push('');
  return kept.length === 0 ? '' : `/${kept.join('/')}`;
}
