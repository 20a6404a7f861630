import { SkillName } from '@ambit/core/internal';
import { InstallRefusal } from './install-refusal.ts';

/**
 * The namespace for a source that was typed without one: the owner of a repository, the host of a site or an archive, or the
 * name of a file or folder. Throws `SOURCE_UNSUPPORTED` if it has no letter or digit.
 */
export function namespaceOf(typed: string): string {
  const place = (typed.split('#', 1)[0] ?? '').replace(/\/\.well-known\/.*$/, '');
  const name = slug(ownerOf(place));
  if (SkillName.safeParse(name).success) return name;
  throw new InstallRefusal(
    'SOURCE_UNSUPPORTED',
    `no namespace can be made from ${JSON.stringify(typed.slice(0, 200))}; choose one with --namespace`,
  );
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
