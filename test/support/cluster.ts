import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ambit, type Daemon, daemonProcess } from './daemon-process.ts';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

/** Nodes that share a database, each a real daemon with a data directory of its own. */
export interface TestCluster {
  /** Starts a node, or starts it again; by default with its own data directory. */
  start(name: string, options?: Parameters<typeof daemonProcess>[2]): Promise<Daemon>;
  /** Lets a new node join, invited at the first one, and starts it. */
  add(name: string): Promise<Daemon>;
  /** Runs an `ambit` command with the configuration of a node. */
  command(name: string, ...args: readonly string[]): ReturnType<typeof ambit>;
  folder(name: string): string;
}

/**
 * The duration of test nodes' leases: a node on a busy machine still renews its own in time. A node reads the list of
 * nodes every fifth of it.
 */
export const leaseSeconds = 40;

/** A statement that ends the lease of a killed or paused node, so that no test waits for its end. */
export function endOfLease(name: string): string {
  return `UPDATE ambit.nodes SET lease_until = 1 WHERE name = '${name}'`;
}

/**
 * Creates a cluster in the database at `url`, or at the URL that it returns for each node. The first of `names` is the first
 * node, and the others join while it runs. A statement may take as long as a lease. Resolves to the running daemons, in the
 * order of their names, when they know each other.
 */
export async function startCluster(
  folder: string,
  url: string | ((name: string) => string),
  names: readonly string[],
  config: object,
  settingsOfCluster: { leaseSeconds?: number; audit?: 'local' | 'shipped' } = {},
): Promise<TestCluster & { nodes: readonly Daemon[] }> {
  const shared = { leaseSeconds, ...settingsOfCluster };
  const settings = new Map<string, object>();
  const folderOf = (name: string): string => join(folder, name);
  const command = (name: string, ...args: readonly string[]): ReturnType<typeof ambit> => {
    const own = folderOf(name);
    // A start with another data directory has written that into the configuration.
    return ambit([...['--config', join(own, 'ambit.config.yaml'), '--data-dir', join(own, 'data')], ...args]);
  };
  const start: TestCluster['start'] = async (name, options = {}) =>
    daemonProcess(folderOf(name), settings.get(name), options);
  const run = async (name: string, ...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await command(name, ...args);
    if (code !== 0) throw new Error(`ambit ${args.join(' ')} failed: ${stderr}`);
    return stdout.trim();
  };
  const [first = ''] = names;
  const add: TestCluster['add'] = async (name) => {
    const node = {
      ...config,
      store: {
        postgres: {
          url: typeof url === 'string' ? url : url(name),
          statementTimeoutMs: shared.leaseSeconds * 1000,
          connectTimeoutMs: shared.leaseSeconds * 400,
        },
      },
      cluster: { advertise: `127.0.0.1:${await freePort()}`, ...shared },
    };
    settings.set(name, node);
    await mkdir(folderOf(name), { recursive: true });
    const file = { ...node, dataDir: join(folderOf(name), 'data'), listen: { port: 0 } };
    await writeFile(join(folderOf(name), 'ambit.config.yaml'), JSON.stringify(file));
    if (name === first) await run(name, 'cluster', 'init', '--name', name);
    else {
      const invitation = join(folderOf(name), 'invitation');
      await writeFile(invitation, await run(first, 'cluster', 'invite', name), { mode: 0o600 });
      await run(name, 'cluster', 'join', '--invitation-file', invitation);
    }
    return start(name);
  };
  const nodes: Daemon[] = [];
  for (const name of names) nodes.push(await add(name));
  for (const node of nodes)
    await until(async () => (await node.request('GET', '/cluster/nodes')).body.nodes.length === names.length);
  return { start, add, command, folder: folderOf, nodes };
}
