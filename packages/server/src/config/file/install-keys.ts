import type { DependencySettings, PackageIndex } from '@ambit/installs';
import { z } from 'zod';
import { removedKey, section } from '../keys.ts';
import { OperatorRule } from './operator-capabilities.ts';

const IndexUrl = z
  .string()
  .max(2000)
  .refine(
    isIndexUrl,
    'write an https:// URL without a user, a query and a fragment; http:// only for 127.0.0.1 and localhost',
  );

const Hosts = z.array(OperatorRule).default([]);

const Packages = z.array(z.string().min(1)).default([]);

/** The indexes for packages of skills, and the packages that may be built or are provided here. */
const DependencyKeys = z
  .strictObject({
    python: z
      .strictObject({ index: IndexUrl, hosts: Hosts })
      .optional()
      .describe(
        'the index for Python [packages](installs.md#packages) of skills: `{ index: "https://…", hosts: […] }`. `hosts` are further hosts that serve its files. `deny.network` takes precedence',
      ),
    node: z
      .strictObject({ registry: IndexUrl, hosts: Hosts })
      .optional()
      .describe(
        'the registry for [npm packages](installs.md#packages): `{ registry: "https://…", hosts: […] }`. `hosts` are further hosts that serve its tarballs. `deny.network` takes precedence',
      ),
    allowBuild: Packages.describe('Python packages that may be built from source, in the sandbox'),
    provided: Packages.describe('Python packages that this machine has and Ambit does not fetch'),
  })
  .transform(
    ({ python, node, allowBuild, provided }): DependencySettings => ({
      python: python === undefined ? null : packageIndex(python.index, python.hosts),
      node: node === undefined ? null : packageIndex(node.registry, node.hosts),
      allowBuild,
      provided,
    }),
  );

/** The keys of `installs`: where skills and their packages may be fetched from, and what happens to updates. */
export const installKeys = section(
  z.strictObject({
    denyList: removedKey(
      'Ambit no longer fetches deny lists; remove the key, and refuse a version or a publisher with: ambit skills revoke SUBJECT',
    ),
    scanners: removedKey(
      'Ambit no longer runs scanners; remove the key, and run your scanner on the folder of a skill before you approve the skill',
    ),
    network: z.array(OperatorRule).default([]).meta({
      description:
        'hosts that [`ambit skills add`](installs.md) and [`review`](review.md#before-you-install) may fetch skills from, written as in a [grant](network.md): `github.com`. `deny.network` wins',
      absent: 'nothing',
    }),
    updates: z
      .enum(['ask', 'auto'])
      .default('ask')
      .describe(
        '`ask`: a later version of an approved skill waits for approval. `auto`: a version that asks for no more, from the same publisher, [takes over](installs.md#update) the approval',
      ),
    minAgeHours: z
      .number()
      .min(0)
      .max(8760)
      .default(24)
      .describe('with `auto`: how long after it was first fetched'),
    whileWaiting: z
      .enum(['run', 'stop'])
      .default('run')
      .describe('whether the approved version runs while a later one waits: `run` or `stop`'),
    dependencies: DependencyKeys.default({ python: null, node: null, allowBuild: [], provided: [] }),
  }),
);

function packageIndex(written: string, hosts: PackageIndex['network']): PackageIndex {
  return { url: written.replace(/\/+$/, ''), network: [new URL(written).origin, ...hosts] };
}

function isIndexUrl(written: string): boolean {
  if (!URL.canParse(written)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(written);
  const isLocal = protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  return (protocol === 'https:' || isLocal) && `${username}${password}${search}${hash}` === '';
}
