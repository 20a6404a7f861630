import { tiersWith } from '@ambit/core/policy';
import type { SkillRoot } from '@ambit/runtime';
import { policySections } from './cluster-policy.ts';
import type { Config, ConfigEntry, Origin, Sourced } from './config.ts';
import { isCapacity } from './general-config.ts';
import { isMap, type Key, valueAt } from './keys.ts';
import type { Layer } from './layers.ts';

/** Lists every value of a configuration with its origin, which `values` has. */
export function configEntries(
  keys: readonly Key[],
  config: Config,
  values: Layer,
  roots: readonly Sourced<SkillRoot>[],
): ConfigEntry[] {
  const { clusterPolicy, lockFile } = config;
  const document = { ...config, limits: { ...config.limits, ...config.capacity } };
  const replaced = clusterPolicy?.own ? policySections(config) : {};
  const originOf = (key: string): Origin => {
    const [section = '', name = ''] = key.split('.');
    return clusterPolicy && Object.hasOwn(replaced, section) && !isCapacity(name)
      ? `cluster policy, revision ${clusterPolicy.revision}`
      : (values.get(key)?.origin ?? 'default');
  };
  return keys.flatMap((setting): ConfigEntry[] => {
    const [key] = setting;
    const value = valueAt(document, key);
    const origin = originOf(key);
    if (key === 'skills') return roots.map((root, index) => ({ key: `skills.${index}`, ...root }));
    if (key === 'tiers') return tierEntries({ value: config.tiers, origin });
    if (value === undefined) return [];
    const entries = isMap(setting) ? each(key, { value, origin }) : [{ key, value, origin }];
    if (key === 'grants') {
      const ofFile = values.get('grants')?.origin ?? 'default';
      entries.push(...each('grants', { value: config.mcpServers, origin: ofFile }, '.mcpServers'));
      entries.push(...each('grants', { value: config.hostUsers, origin: ofFile }, '.user'));
    }
    if (key === 'publishers')
      entries.push(...each('installed', { value: config.installed, origin: `file:${lockFile}` }));
    return entries;
  });
}

/** The limits of programs in force, with the defaults of limits that the file leaves out. */
function tierEntries({ value, origin }: Sourced<Config['tiers']>): ConfigEntry[] {
  return (['local', 'verified'] as const).flatMap((tier) => {
    const { fuel: _, ...normal } = tiersWith(value)[tier].limits.process.default;
    return (Object.keys(normal) as (keyof typeof normal)[]).map((limit) => ({
      key: `tiers.${tier}.${limit}`,
      value: { default: normal[limit], max: tiersWith(value)[tier].limits.process.max[limit] },
      origin: value[tier]?.[limit] === undefined ? 'default' : origin,
    }));
  });
}

function each(key: string, { value, origin }: Sourced<unknown>, suffix = ''): ConfigEntry[] {
  return Object.entries(value as object).map(([name, inner]) => ({
    key: `${key}.${name}${suffix}`,
    value: inner,
    origin,
  }));
}
