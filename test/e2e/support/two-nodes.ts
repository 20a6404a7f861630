import { dirname } from 'node:path';
import { beforeAll } from 'vitest';
import {
  inDatabase,
  postgresDatabase,
} from '../../../packages/server/src/store/testing/postgres-databases.ts';
import { endOfLease, startCluster, type TestCluster } from '../../support/cluster.ts';
import type { Daemon } from '../../support/daemon-process.ts';
import { pythonSkill } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type WaiterWorld, waiterWorld } from './waiter.ts';

/** Waits until a file exists, and writes a file into its workspace. */
const writer = pythonSkill(
  'while not os.path.exists(given): time.sleep(0.02)\nopen("/workspace/made", "w").write("x")\nprint(json.dumps("written"))',
  { capabilities: { exec: ['python3'], filesystem: { read: ['granted'], write: ['workspace'] } } },
);

/** A cluster of two nodes with the skills `waiter` and `writer`. */
export interface TwoNodes {
  cluster: TestCluster;
  /** The URL of its database. */
  url: string;
  /** Runs a statement in its database, as the superuser. */
  inDatabase(statement: string): ReturnType<typeof inDatabase>;
  /** Ends the lease of a node that was killed or paused. */
  endLease(name: string): Promise<unknown>;
  waiter: WaiterWorld;
  a: Daemon;
  b: Daemon;
}

/** The two nodes that all tests of the calling file share. They start before the first test. */
export function sharedTwoNodes(): () => TwoNodes {
  let world: TwoNodes | undefined;
  beforeAll(async () => {
    const ends: (() => Promise<unknown>)[] = [];
    const atEnd = (end: () => Promise<unknown>): void => void ends.unshift(end);
    const { target } = await postgresDatabase(undefined, atEnd);
    const newFolder = () => temporaryFolder({}, atEnd);
    const waiter = await waiterWorld({ writer }, newFolder);
    const read = [dirname(waiter.file().path)];
    const grants = {
      waiter: { filesystem: { read } },
      writer: { filesystem: { read, write: ['workspace'] } },
    };
    const config = { ...waiter.config, grants };
    const cluster = await startCluster(await newFolder(), target.shown, ['a', 'b'], config);
    const [a, b] = cluster.nodes as [Daemon, Daemon];
    const nodes: TwoNodes = {
      cluster,
      url: target.shown,
      waiter,
      a,
      b,
      inDatabase: (statement) => inDatabase({ target }, statement),
      endLease: (name) => inDatabase({ target }, endOfLease(name)),
    };
    world = nodes;
    // Tests start nodes again.
    for (const each of [() => a, () => b, () => nodes.a, () => nodes.b]) atEnd(() => each().stop('SIGKILL'));
    return async () => {
      for (const end of ends) await end();
    };
  });
  return () => {
    if (world === undefined) throw new Error('the shared nodes have not started');
    return world;
  };
}
