import { matchesPattern } from '@ambit/core/internal';
import type { Publisher } from '../../config/file/publisher-keys.ts';

/** The publishers that sign the skills of a source, as typed. */
export function publishersOf(publishers: readonly Publisher[], source: string): Publisher[] {
  const place = canonicalSource(source);
  return publishers.filter(({ match }) =>
    match.some((pattern) => matchesPattern(onGitHub(pattern).toLowerCase(), place)),
  );
}

/**
 * A source in the form that `match` compares: without `#REF:FOLDER`, `.git` and upper case, and with `https://github.com/` if
 * it is `owner/repository`. Two spellings of one repository must not differ here.
 */
function canonicalSource(typed: string): string {
  const place = onGitHub(typed.split('#', 1)[0] ?? '');
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(place) || !URL.canParse(place)) return place.toLowerCase();
  const { protocol, host, pathname } = new URL(place);
  const path = decoded(pathname)
    .replace(/\/{2,}/g, '/')
    .replace(/\/$/, '')
    .replace(/\.git$/i, '');
  return `${protocol}//${host}${path}`.toLowerCase();
}

function onGitHub(place: string): string {
  return /^[\w.*-]+\/[\w.*-]+$/.test(place) ? `https://github.com/${place}` : place;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
