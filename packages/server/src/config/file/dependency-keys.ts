import type { DependencySettings, PackageIndex } from '@ambit/installs';
import { z } from 'zod';
import { OperatorRule } from './operator-capabilities.ts';

const IndexUrl = z
  .string()
  .max(2000)
  .refine(
    isIndexUrl,
    'write an https:// URL without a user, a query and a fragment; http:// only for 127.0.0.1 and localhost',
  );

const Hosts = z.array(OperatorRule).default([]);

/** `installs.dependencies`: where the packages of skills come from. */
export const DependencyKeys = z
  .strictObject({
    python: z.strictObject({ index: IndexUrl, hosts: Hosts }).optional(),
    node: z.strictObject({ registry: IndexUrl, hosts: Hosts }).optional(),
    allowBuild: z.array(z.string().min(1)).default([]),
    provided: z.array(z.string().min(1)).default([]),
  })
  .transform(
    ({ python, node, allowBuild, provided }): DependencySettings => ({
      python: python === undefined ? null : packageIndex(python.index, python.hosts),
      node: node === undefined ? null : packageIndex(node.registry, node.hosts),
      allowBuild,
      provided,
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
