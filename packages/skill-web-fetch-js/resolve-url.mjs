/** A URI's parts, as in RFC 3986, appendix B: every text is a URI reference. */
const parts = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/;

/**
 * Resolves a link to an absolute `http` or `https` URL without its fragment (RFC 3986, section
 * 5.2); `undefined` for other links, such as `mailto:` and `javascript:`.
 *
 * @param {string} reference from a page or a Location header
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
 * Encodes what browsers accept in links and URIs do not: line breaks, spaces, non-ASCII letters.
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
  const resolved = [];
  for (const segment of segments.slice(1)) {
    if (segment === '..') resolved.pop();
    else if (segment !== '.') resolved.push(segment);
  }
  // `/a/..` is the folder, with its slash.
  if (last === '.' || last === '..') resolved.push('');
  return resolved.length === 0 ? '' : `/${resolved.join('/')}`;
}
