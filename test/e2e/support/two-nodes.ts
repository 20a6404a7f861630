import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll } from 'vitest';
import {
  asAdministrator,
  postgresDatabase,
} from '../../../packages/server/src/store/testing/postgres-databases.ts';
import { startCluster, type TestCluster } from '../../support/cluster.ts';
import { temporaryFolder } from '../../support/daemon.ts';
import type { Daemon } from '../../support/daemon-process.ts';
import { pythonSkill } from '../../support/skills.ts';
import { type WaiterWorld, waiterWorld } from './waiter.ts';

/** Waits until a file exists, and writes a file into its workspace. */
const writer = pythonSkill(
  'while not os.path.exists(given): time.sleep(0.02)\nopen("/workspace/made", "w").write("x")\nprint(json.dumps("written"))',
  { capabilities: { exec: ['python3'], filesystem: { read: ['granted'], write: ['workspace'] } } },
);

/** A cluster of two nodes with the skills `waiter` and `writer`. */
export interface TwoNodes {
  cluster: TestCluster;
  /** Of its database. */
  url: string;
  /** Runs a statement in its database, as the superuser. */
  inDatabase(statement: string): ReturnType<typeof asAdministrator>;
  waiter: WaiterWorld;
  a: Daemon;
  b: Daemon;
}

export async function twoNodes(
  url: string,
  atEnd: (end: () => Promise<void>) => void,
  newFolder = temporaryFolder,
): Promise<TwoNodes> {
  const waiter = await waiterWorld({ writer }, newFolder);
  const read = [dirname(waiter.file().path)];
  const grants = { waiter: { filesystem: { read } }, writer: { filesystem: { read, write: ['workspace'] } } };
  const cluster = await startCluster(await newFolder(), url, ['a', 'b'], { ...waiter.config, grants });
  const [a, b] = cluster.nodes as [Daemon, Daemon];
  const { hostname: host, port, pathname } = new URL(url);
  const server = { host, port: Number(port), user: 'postgres' };
  const inDatabase = (statement: string) => asAdministrator(server, statement, pathname.slice(1));
  const world = { cluster, url, inDatabase, waiter, a, b };
  atEnd(async () => {
    // Tests start nodes again.
    for (const node of new Set([...cluster.nodes, world.a, world.b])) await node.stop('SIGKILL');
  });
  return world;
}

/** The two nodes that all tests of the calling file share. They start before the first test. */
export function sharedTwoNodes(): () => TwoNodes {
  let world: TwoNodes | undefined;
  beforeAll(async () => {
    const ends: (() => Promise<void>)[] = [];
    const atEnd = (end: () => Promise<void>): void => void ends.push(end);
    const { target } = await postgresDatabase(undefined, atEnd);
    const newFolder = async (): Promise<string> => {
      const folder = await realpath(await mkdtemp(join(tmpdir(), 'ambit-test-')));
      atEnd(() => rm(folder, { recursive: true, force: true }));
      return folder;
    };
    world = await twoNodes(target.shown, atEnd, newFolder);
    return async () => {
      for (const end of ends.toReversed()) await end();
    };
  });
  return () => {
    if (world === undefined) throw new Error('the shared nodes have not started');
    return world;
  };
}
