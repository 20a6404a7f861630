import { amountText, type LimitName } from '@ambit/core/internal';
import type { ConfigFile } from './file/config-file.ts';

/** Limits of tiers and grants above the limit of every call, which bounds them, one sentence each. */
export function limitIssues({ limits = {}, tiers = {}, grants = {} }: ConfigFile): string[] {
  const places = [
    ...Object.entries(tiers).map(([tier, set = {}]) => [`tiers.${tier}`, set] as const),
    ...Object.entries(grants).map(([id, { limits: set = {} }]) => [`grants.${id}.limits`, set] as const),
  ];
  return places.flatMap(([place, set]) =>
    Object.entries(set).flatMap(([name, value]) => {
      const limit = name as LimitName;
      const most = typeof value === 'object' ? value.max : value;
      const every = limits[limit];
      if (most === undefined || every === undefined || most <= every) return [];
      return [
        `${place}.${name}: ${amountText(limit, most)} is more than limits.${name}, ${amountText(limit, every)}, which bounds every call; lower it, or raise limits.${name}`,
      ];
    }),
  );
}
