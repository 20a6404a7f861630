import { posix } from 'node:path';
import { matchesPattern, shownInBrowser } from '@ambit/core/inspect';
import type { Publisher } from '../../config/file/publisher-keys.ts';

/** The publishers that sign the skills of a source, as typed. */
export function publishersOf(publishers: readonly Publisher[], source: string): Publisher[] {
  const place = canonicalSource(source.split('#', 1)[0] ?? '');
  return publishers.filter(({ match }) =>
    match.some((pattern) => matchesPattern(canonicalSource(pattern), place)),
  );
}

/**
 * A source without `#REF:FOLDER`, or a pattern of sources, in the form that is compared: without tags, default ports, `.git`,
 * slashes at the end and upper case, without the folder of a browser's address, and with `https://github.com/` if it is
 * `owner/repository`. Two spellings of one source
 * must not differ here: the other one would need no signature.
 */
export function canonicalSource(typed: string): string {
  const place = /^[\w.*-]+\/[\w.*-]+$/.test(typed) ? `https://github.com/${typed}` : typed;
  const [, prefix = '', scheme = '', rest = ''] = /^(mcp\+)?([a-z][a-z0-9.-]*):\/\/(.*)$/is.exec(place) ?? [];
  if (scheme === '') return withoutEnd(posix.normalize(place)).toLowerCase();
  const isOci = scheme.toLowerCase() === 'oci';
  // As https, so that host and port are read as in the URL of a site.
  const url = `${isOci ? 'https' : scheme}://${rest}`;
  if (!URL.canParse(url)) return place.toLowerCase();
  const { protocol, host, pathname } = new URL(url);
  const shown = prefix === '' && !isOci ? shownInBrowser(pathname) : undefined;
  const path = decoded(shown?.repository ?? pathname).replace(/\/{2,}/g, '/');
  return [
    `${prefix}${isOci ? 'oci:' : protocol}//${host.replace(/\.(?=:|$)/, '')}`,
    withoutEnd(
      isOci ? path.replace(/[@:].*$/, '') : path.replace(/\/\.well-known\/agent-skills\/index\.json$/, ''),
    ),
  ]
    .join('')
    .toLowerCase();
}

function withoutEnd(path: string): string {
  return path.replace(/\/+$/, '').replace(/\.git$/i, '');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
