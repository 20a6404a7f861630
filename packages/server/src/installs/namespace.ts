import { partsOfId, SkillName } from '@ambit/core/skill';
import { Refusal } from '../errors/refusal.ts';
import type { Lock } from '../lock/lock-file.ts';
import { canonicalSource } from './publishers/canonical-source.ts';

/**
 * The namespace for a source that was typed without one: the owner of a repository, the host of a site or an archive, or the
 * name of a file or folder. Throws `SOURCE_UNSUPPORTED` if it has no letter or digit.
 */
export function namespaceOf(typed: string): string {
  const place = (typed.split('#', 1)[0] ?? '').replace(/\/\.well-known\/.*$/, '');
  const name = slug(ownerOf(place));
  if (SkillName.safeParse(name).success) return name;
  throw new Refusal(
    'SOURCE_UNSUPPORTED',
    `no namespace can be made from ${JSON.stringify(typed.slice(0, 200))}; choose one with --namespace`,
  );
}

/**
 * Throws `NAMESPACE_TAKEN` if only sources with another host or owner have installed skills in the namespace: grants for
 * `acme:NAME` are meant for the first `acme`. Call it for a namespace that was not chosen.
 */
export function requireOwnNamespace(lock: Lock, namespace: string, source: string): void {
  const sources = sourcesIn(lock, namespace);
  const own = hostAndOwner(source);
  if (sources.length === 0 || sources.some((each) => hostAndOwner(each) === own)) return;
  throw new Refusal(
    'NAMESPACE_TAKEN',
    `${source.slice(0, 500)} would get the namespace ${namespace}, which skills of ${sources.slice(0, 3).join(', ')} have, and grants for ${namespace}:NAME would apply to both. Choose a namespace with --namespace`,
  );
}

/** The sources with another host or owner that have installed skills in the namespace of this source. */
export function otherSources(lock: Lock, namespace: string, source: string): string[] {
  const own = hostAndOwner(source);
  return sourcesIn(lock, namespace).filter((each) => hostAndOwner(each) !== own);
}

function sourcesIn({ skills }: Lock, namespace: string): string[] {
  const inIt = Object.entries(skills).filter(([id]) => partsOfId(id).namespace === namespace);
  return [...new Set(inIt.map(([, { source }]) => source))].sort();
}

/** The host, and the owner if the source has one: `github.com/acme`. All paths of this machine have one owner. */
function hostAndOwner(source: string): string {
  const place = (source.split('#', 1)[0] ?? '').replace(/\/\.well-known\/.*$/, '');
  const [, host, owner] =
    /^(?:mcp\+)?[a-z]+:\/\/([^/]*)(?:\/([^/]+)(?=\/))?/.exec(canonicalSource(place)) ?? [];
  if (host === undefined) return '';
  return owner === undefined ? host : `${host}/${owner}`;
}

function ownerOf(place: string): string {
  if (URL.canParse(place) && /^[a-z+]+:\/\//i.test(place)) {
    const { hostname, pathname } = new URL(place);
    const names = pathname.split('/').filter(Boolean);
    return names.length > 1 ? (names[0] ?? hostname) : hostname;
  }
  if (/^[\w-][\w.-]*\/[\w.-]+$/.test(place)) return place.split('/')[0] ?? place;
  const names = place.replaceAll('\\', '/').split('/').filter(Boolean);
  return (names.at(-1) ?? '').replace(/\.(zip|tar|tgz|tar\.gz)$/i, '');
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64)
    .replace(/-+$/, '');
}
