import type { Daemon } from './daemon-process.ts';

/** Returns the records that a shared daemon makes from now on, newest first. `filter` is part of a query, such as `skill=a`. */
export async function laterRecords(daemon: Daemon, filter = ''): Promise<() => ReturnType<Daemon['audit']>> {
  const count = async (): Promise<number> =>
    (await daemon.request('GET', `/audit/count?${filter}`)).body.count;
  const before = await count();
  return async () => {
    const more = (await count()) - before;
    return more === 0 ? [] : daemon.audit(`?limit=${more}&${filter}`);
  };
}
