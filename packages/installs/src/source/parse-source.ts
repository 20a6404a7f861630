import { checkedUrl, unsupported } from './checked-url.ts';

/** A source as a person typed it, taken apart. */
export interface ParsedSource {
  kind: 'path' | 'archive' | 'git' | 'well-known';
  /** A path, or a URL: of an archive, a repository, or an index of skills. */
  place: string;
  /** Of a repository: a branch, a tag or a full commit hash. */
  ref?: string;
  /** Only skills in this folder of the source. */
  folder?: string;
}

/**
 * Takes a source apart: a path, a URL of an archive, a repository or a site with an index of skills, or `owner/repository` on
 * GitHub, followed by `#REF`, `#REF:FOLDER` or `#:FOLDER`. `isThere` tells whether a path exists, which comes before GitHub.
 * Throws `SOURCE_UNSUPPORTED`.
 */
export function parseSource(typed: string, isThere: (path: string) => boolean): ParsedSource {
  const hash = isThere(typed) ? -1 : typed.indexOf('#');
  const place = hash === -1 ? typed : typed.slice(0, hash);
  const [, ref = '', folder = ''] =
    /^([^:]*)(?::(.*))?$/s.exec(hash === -1 ? '' : typed.slice(hash + 1)) ?? [];
  const rest = { ...(ref === '' ? {} : { ref }), ...(folder === '' ? {} : { folder: plainFolder(folder) }) };
  const found = kindOf(place, isThere);
  if (found.kind !== 'git' && ref !== '')
    throw unsupported(typed, `has no branches or commits; to name a folder in it, write #:${ref}`);
  return { ...found, ...rest };
}

function kindOf(place: string, isThere: (path: string) => boolean): ParsedSource {
  if (isThere(place)) return { kind: 'path', place };
  if (/^[^/:]+@[^/:]+:/.test(place) || /^(ssh|git|svn|ftp):\/\//.test(place))
    throw unsupported(place, 'needs a login on its server; use its https:// address');
  if (/^https?:\/\//i.test(place)) {
    const url = checkedUrl(place);
    const index = indexOf(url);
    if (index !== undefined) return { kind: 'well-known', place: index };
    return { kind: /\.(zip|tar|tar\.gz|tgz)$/i.test(url.pathname) ? 'archive' : 'git', place: url.href };
  }
  if (/^[\w.-]+\/[\w.-]+$/.test(place) && !/^\.{1,2}\//.test(place))
    return { kind: 'git', place: `https://github.com/${place}` };
  throw unsupported(
    place,
    'does not exist; name a .zip or .tar.gz file, an https:// URL, or owner/repository on GitHub',
  );
}

const indexPath = '/.well-known/agent-skills/index.json';

/** The index of a site. A repository has a path of its own, so a URL without one names the site. */
function indexOf({ origin, pathname, search }: URL): string | undefined {
  if (search !== '') return undefined;
  if (pathname === '/') return `${origin}${indexPath}`;
  return pathname.endsWith(indexPath) ? `${origin}${pathname}` : undefined;
}

function plainFolder(folder: string): string {
  return folder.split('/').filter(Boolean).join('/');
}
