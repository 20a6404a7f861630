import { InstallError } from '../install-error.ts';

/** A source as a person typed it, taken apart. */
export interface ParsedSource {
  kind: 'path' | 'archive' | 'git';
  /** A path, or a URL. */
  place: string;
  /** Of a repository: a branch, a tag or a full commit hash. */
  ref?: string;
  /** Only skills in this folder of the source. */
  folder?: string;
}

/**
 * Takes a source apart: a path, a URL of an archive or of a repository, or `owner/repository` on GitHub, followed by
 * `#REF`, `#REF:FOLDER` or `#:FOLDER`. `isThere` tells whether a path exists, which comes before GitHub. Throws
 * `SOURCE_UNSUPPORTED`.
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

function kindOf(place: string, isThere: (path: string) => boolean): Pick<ParsedSource, 'kind' | 'place'> {
  if (isThere(place)) return { kind: 'path', place };
  if (/^[^/:]+@[^/:]+:/.test(place) || /^(ssh|git|svn|ftp):\/\//.test(place))
    throw unsupported(place, 'needs a login on its server; use its https:// address');
  if (/^https?:\/\//i.test(place)) {
    const url = URL.canParse(place) ? new URL(place) : undefined;
    if (url === undefined) throw unsupported(place, 'is not a valid URL');
    if (url.username !== '' || url.password !== '')
      throw unsupported(
        `${url.protocol}//…@${url.host}`,
        'has a password or token, which would be stored; leave it out',
      );
    if (url.protocol !== 'https:' && !/^(127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname))
      throw unsupported(place, 'is not encrypted; use its https:// address');
    return { kind: /\.(zip|tar|tar\.gz|tgz)$/i.test(url.pathname) ? 'archive' : 'git', place: url.href };
  }
  if (/^[\w.-]+\/[\w.-]+$/.test(place) && !/^\.{1,2}\//.test(place))
    return { kind: 'git', place: `https://github.com/${place}` };
  throw unsupported(
    place,
    'does not exist; name a .zip or .tar.gz file, an https:// URL, or owner/repository on GitHub',
  );
}

function plainFolder(folder: string): string {
  return folder.split('/').filter(Boolean).join('/');
}

function unsupported(what: string, why: string): InstallError {
  return new InstallError('SOURCE_UNSUPPORTED', `${JSON.stringify(what.slice(0, 300))} ${why}`);
}
