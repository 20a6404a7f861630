import { liesWithin } from '../capability/filesystem.ts';
import type { Item } from '../capability/items.ts';
import { endpointOf, type NetworkRule } from '../egress/network-rule.ts';
import { specialAddress } from '../egress/special-address.ts';
import { looksSecret } from '../skill/looks-secret.ts';

/** Facts about the host, for warnings. All paths are absolute. */
export interface HostPlaces {
  /** The operator's home folder. */
  home: string | undefined;
  dataDir: string | undefined;
  /** Whether a path exists. Absent: unknown. */
  exists?: (path: string) => boolean;
}

/** Returns what an item opens, if that is more than its text shows; `broad` if it is much more than one call needs. */
export function whatItOpens(item: Item, places: HostPlaces): { warning: string | null; broad: boolean } {
  const broad = broadPath(item, places) ?? broadHost(item);
  if (broad !== undefined) return { warning: broad, broad: true };
  const warning = specialHost(item) ?? writtenPath(item) ?? newReceiver(item) ?? secretVariable(item) ?? null;
  return { warning, broad: false };
}

function broadPath({ kind, text: path }: Item, { home, dataDir }: HostPlaces): string | undefined {
  if (!kind.startsWith('filesystem.') || !path.startsWith('/')) return undefined;
  if (path === '/') return 'opens every file of this machine that its user may read';
  if (dataDir !== undefined && liesWithin(path, dataDir))
    return "is in Ambit's data directory, which holds its keys and is never opened to a skill";
  if (dataDir !== undefined && liesWithin(dataDir, path))
    return `opens the folder around Ambit's data directory ${dataDir}, which itself stays hidden`;
  if (home !== undefined && liesWithin(home, path))
    return `opens the home folder ${home}, with its keys, settings and documents`;
  if (home !== undefined && liesWithin(path, home) && /\/\./.test(path.slice(home.length)))
    return 'opens a hidden path in a home folder, where programs store keys and settings';
  if (looksSecret(path)) return 'looks like a file or folder with keys or passwords';
  if (/^\/[^/]+$/.test(path)) return 'opens a whole top-level folder of this machine';
  return undefined;
}

function broadHost({ rules }: Item): string | undefined {
  const hosts = rules.map(hostOf);
  if (hosts.some((host) => host.startsWith('*.')))
    return 'opens every subdomain, including ones that do not exist yet';
  if (hosts.some((host) => specialOf(host)?.kind === 'cloud metadata address'))
    return 'reaches the metadata service of a cloud, which gives out credentials of this machine';
  return undefined;
}

function specialHost({ rules }: Item): string | undefined {
  for (const rule of rules) {
    const host = hostOf(rule);
    if (host === 'localhost' || host.endsWith('.localhost')) return 'reaches programs of this machine';
    const special = specialOf(host);
    if (special !== undefined) return `reaches a ${special.kind}, which is not on the public internet`;
  }
  return undefined;
}

function writtenPath({ kind, text }: Item): string | undefined {
  return kind === 'filesystem.write' && text.startsWith('/')
    ? 'lets the skill change and delete its files'
    : undefined;
}

function newReceiver({ kind }: Item): string | undefined {
  return kind === 'secrets' ? 'sends the value of the secret to these hosts' : undefined;
}

/** The daemon passes its own variables. */
function secretVariable({ kind, text }: Item): string | undefined {
  return kind === 'env' && /KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH/i.test(text)
    ? 'looks like a secret, and the skill gets its value; a secret under grants is sent only to its hosts'
    : undefined;
}

function specialOf(host: string): ReturnType<typeof specialAddress> {
  return /^\[|^[\d.]+$/.test(host) ? specialAddress(host) : undefined;
}

function hostOf(rule: NetworkRule): string {
  return endpointOf(rule).host;
}
