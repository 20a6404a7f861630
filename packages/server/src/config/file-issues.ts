import { amountText, type LimitName } from '@ambit/core/policy';
import type { Settings } from './file/settings.ts';

/** Mistakes in what the keys of a file say together, one sentence each. */
export function fileIssues(settings: Settings): string[] {
  const { store, secrets, cluster } = settings;
  const issues = limitIssues(settings);
  const password = store.postgres?.password;
  if (password !== undefined && !Object.hasOwn(secrets, password))
    issues.push(`store.postgres.password: secrets has no ${password}; add its source there`);
  if (cluster !== null && store.postgres === null)
    issues.push('cluster: the nodes of a cluster share a database; name it in store: { postgres: { url } }');
  return issues;
}

/** Limits above the limit of every call, and memory above the memory of all runs, one sentence each. */
function limitIssues({ limits, tiers, grants }: Pick<Settings, 'limits' | 'tiers' | 'grants'>): string[] {
  const { memoryBytes, memoryShareBytes } = limits;
  const places = [
    ['limits', memoryBytes === undefined ? {} : { memoryBytes }] as const,
    ...Object.entries(tiers).map(([tier, set = {}]) => [`tiers.${tier}`, set] as const),
    ...Object.entries(grants).map(([id, { limits: set = {} }]) => [`grants.${id}.limits`, set] as const),
  ];
  return places.flatMap(([place, set]) =>
    Object.entries(set).flatMap(([name, value]) => {
      const limit = name as LimitName;
      const most = typeof value === 'object' ? value.max : value;
      const every = limits[limit];
      if (limit === 'memoryBytes' && most !== undefined && most > memoryShareBytes)
        return [
          `${place}.${name}: ${amountText(limit, most)} is more than limits.memoryShareBytes, ${amountText(limit, memoryShareBytes)}, the memory of all runs together; lower it, or raise limits.memoryShareBytes`,
        ];
      if (most === undefined || every === undefined || most <= every) return [];
      return [
        `${place}.${name}: ${amountText(limit, most)} is more than limits.${name}, ${amountText(limit, every)}, which bounds every call; lower it, or raise limits.${name}`,
      ];
    }),
  );
}
