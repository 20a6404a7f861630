import { shownInBrowser } from '@ambit/core/inspect';
import { checkedUrl, isLoopback, unsupported } from './checked-url.ts';

/** A source as a person typed it, taken apart. */
export interface ParsedSource {
  kind: 'path' | 'archive' | 'git' | 'well-known' | 'oci' | 'mcp';
  /** A path, or a URL: of an archive, a repository, an index of skills, a repository in a registry, or an MCP server. */
  place: string;
  /** A branch, a tag or a full commit hash; in a registry a tag or a digest. */
  ref?: string;
  /** The full hash of the commit to read, whatever `ref` is by now. */
  commit?: string;
  /** Only skills in this folder of the source. */
  folder?: string;
  /**
   * `ref` and `folder` as one path, in an address that a browser shows. If a longer beginning of it is the name of a branch or
   * tag, that is the `ref`.
   */
  refOrFolder?: string;
}

/**
 * Takes a source apart: a path, a URL of an archive, a repository or a site with an index of skills, `oci://` and a repository
 * in a registry, `mcp+` and the URL of an MCP server, `owner/repository` on GitHub, or the address that a
 * browser shows for a folder of a repository, followed by `#REF`, `#REF:FOLDER` or `#:FOLDER`. `isThere` tells whether a path exists, which comes before GitHub.
 * Throws `SOURCE_UNSUPPORTED`.
 */
export function parseSource(typed: string, isThere: (path: string) => boolean): ParsedSource {
  const hash = isThere(typed) ? -1 : typed.indexOf('#');
  const place = hash === -1 ? typed : typed.slice(0, hash);
  const [, ref = '', folder = ''] =
    /^([^:]*)(?::(.*))?$/s.exec(hash === -1 ? '' : typed.slice(hash + 1)) ?? [];
  const found = kindOf(place, isThere);
  if (found.kind === 'git' && found.ref !== undefined && ref !== '')
    throw unsupported(typed, 'names a branch or commit twice; leave out what follows the #');
  if (found.folder !== undefined && folder !== '')
    throw unsupported(typed, 'names a folder twice; write REPOSITORY#REF:FOLDER');
  if (found.kind !== 'git' && ref !== '')
    throw unsupported(typed, `has no branches or commits; to name a folder in it, write #:${ref}`);
  if (ref !== '') found.ref = ref;
  if (folder !== '') found.folder = plainFolder(folder);
  return found;
}

function kindOf(place: string, isThere: (path: string) => boolean): ParsedSource {
  if (isThere(place)) return { kind: 'path', place };
  if (/^[^/:]+@[^/:]+:/.test(place) || /^ssh:\/\//i.test(place))
    throw unsupported(place, 'needs a login on its server; use its https:// address');
  const [, protocol] = /^((?:git|svn|ftp)s?):\/\//i.exec(place) ?? [];
  if (protocol !== undefined)
    throw unsupported(
      place,
      `uses the protocol ${protocol.toLowerCase()}, which is not supported; use an https:// address`,
    );
  if (/^oci:\/\//i.test(place)) return inRegistry(place);
  if (/^mcp\+https?:\/\//i.test(place))
    return { kind: 'mcp', place: checkedUrl(place.slice('mcp+'.length)).href };
  if (/^https?:\/\//i.test(place)) {
    const url = checkedUrl(place);
    const index = indexOf(url);
    if (index !== undefined) return { kind: 'well-known', place: index };
    const shown = shownFolder(url);
    if (shown !== undefined) return shown;
    return {
      kind: /\.(zip|skill|tar|tar\.gz|tgz)$/i.test(url.pathname) ? 'archive' : 'git',
      place: url.href,
    };
  }
  if (/^[\w.-]+\/[\w.-]+$/.test(place) && !/^\.{1,2}\//.test(place))
    return { kind: 'git', place: `https://github.com/${place}` };
  throw unsupported(
    place,
    'does not exist; name a .zip or .tar.gz file, a URL, or owner/repository on GitHub',
  );
}

/** A folder as a browser shows it. Only the repository knows where the name of the branch ends, if that has a slash. */
function shownFolder({ href, origin, pathname }: URL): ParsedSource | undefined {
  const shown = shownInBrowser(pathname);
  if (shown === undefined) return undefined;
  const parts = shown.rest.split('/').filter(Boolean).map(decoded);
  const isSkillFile = parts.length > 1 && /^skill\.md$/i.test(parts.at(-1) ?? '');
  const [ref = '', ...folders] = parts.slice(0, isSkillFile ? -1 : undefined).map((part) => {
    if (part === undefined || part === '..' || /[/\\:\0]/.test(part))
      throw unsupported(href, 'has no valid path; write REPOSITORY#REF:FOLDER');
    return part;
  });
  if (shown.isFile && !isSkillFile)
    throw unsupported(href, 'is a file; name the folder of a skill, or its SKILL.md');
  const source: ParsedSource = { kind: 'git', place: `${origin}${shown.repository}`, ref };
  if (folders.length > 0) {
    source.folder = folders.join('/');
    source.refOrFolder = [ref, ...folders].join('/');
  }
  return source;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** A repository in a registry, by the names that the OCI distribution specification allows. */
function inRegistry(place: string): ParsedSource {
  const [, host = '', path = '', tag, digest] =
    /^oci:\/\/([^/]+)(?:\/([^:@]*)(?::([^@]*))?(?:@(.*))?)?$/i.exec(place) ?? [];
  const scheme =
    URL.canParse(`http://${host}`) && isLoopback(new URL(`http://${host}`).hostname) ? 'http' : 'https';
  const { origin } = checkedUrl(`${scheme}://${host}`);
  const isName = /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$/.test(path);
  if (!isName || path.length > 255)
    throw unsupported(place, 'has no valid repository; write oci://REGISTRY/REPOSITORY:TAG');
  if (tag !== undefined && !/^\w[\w.-]{0,127}$/.test(tag)) throw unsupported(place, 'has an invalid tag');
  if (digest !== undefined && !/^sha256:[0-9a-f]{64}$/.test(digest))
    throw unsupported(place, 'has an invalid digest; write @sha256: and 64 hexadecimal digits');
  return { kind: 'oci', place: `${origin}/v2/${path}`, ref: digest ?? tag ?? 'latest' };
}

/** The source, at exactly what the lock file says was read of it; unchanged if it cannot be asked for that. */
export function resolvedSource(parsed: ParsedSource, resolved: string | null): ParsedSource {
  const commit = /^commit:(.+)$/.exec(resolved ?? '')?.[1];
  if (parsed.kind === 'git' && commit !== undefined) return { ...parsed, commit };
  if (parsed.kind === 'oci' && resolved?.startsWith('sha256:') === true) return { ...parsed, ref: resolved };
  return parsed;
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
