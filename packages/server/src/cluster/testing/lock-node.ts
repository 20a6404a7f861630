import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditEvent } from '@ambit/core/audit';
import { thrownText } from '@ambit/core/outcome';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { Config } from '../../config/config.ts';
import { readInstalled } from '../../config/read-installed.ts';
import { readDecisions } from '../../installs/decisions.ts';
import { installedRoots } from '../../installs/installed-roots.ts';
import { installer } from '../../installs/installer.ts';
import type { Store } from '../../store/store.ts';
import { plainConfig } from '../../testing/plain-config.ts';
import { clusterLock } from '../catalog/cluster-lock.ts';

/** The installed skills of a node of a cluster, over an array for a log. Nothing looks for changes by itself. */
export async function lockNode(
  store: Pick<Store, 'run'>,
  node: number,
  times: { intervalMs?: number; maxAgeMs?: number } = {},
) {
  const folder = await temporaryFolder();
  const dataDir = join(folder, '.ambit');
  await mkdir(dataDir);
  const config: Config = { ...plainConfig, dataDir, lockFile: join(folder, 'ambit.lock') };
  const events: AuditEvent[] = [];
  const warnings: string[] = [];
  let beforeAppend = async (): Promise<void> => undefined;
  const target = { config: () => config, apply: async (): Promise<void> => undefined };
  const shared = clusterLock({
    store,
    node,
    ...times,
    logger: {
      info: () => undefined,
      warn(details, message) {
        const { id, err } = details as { id?: string; err?: unknown };
        warnings.push(
          [id, message, err === undefined ? undefined : thrownText(err)].filter(Boolean).join(': '),
        );
      },
    },
  });
  const installs = installer({
    ...target,
    store,
    now: Date.now,
    shared,
    async append(event) {
      await beforeAppend();
      events.push(event);
      return { sequence: events.length, hash: 'sha256:h' };
    },
  });
  const requester = { actor: 'ada', signal: new AbortController().signal };
  return {
    config,
    events,
    warnings,
    shared: {
      ...shared,
      read: () => shared.read(target),
      restore: () => shared.restore(target),
      start: () => shared.start(target),
      watch: () => shared.watch(target),
    },
    installs,
    /** Called before each event of the log is appended. */
    onAppend(call: () => Promise<void>) {
      beforeAppend = call;
    },
    add: (source: string) => installs.add({ source, namespace: 'acme', allowsPaths: true }, requester),
    update: () => installs.update([], requester),
    approve: (id: string) => installs.approve({ id, tier: 'verified' }, requester),
    remove: (id: string) => installs.remove([id], requester),
    sync: () => installs.sync({ frozen: false }, requester),
    /** Returns what the catalog of the node would use: the tier and the folder of each id. */
    async inForce(): Promise<Record<string, { tier: string; path: string }>> {
      const { installed } = await readInstalled(config);
      const roots = installedRoots({ ...config, installed }, await readDecisions(store));
      return Object.fromEntries(
        roots.map(({ namespace, tier, path, installed: known }) => [
          `${namespace}:${known?.name}`,
          { tier, path },
        ]),
      );
    },
  };
}
