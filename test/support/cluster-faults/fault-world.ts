import { chmod } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { asAdministrator } from '../../../packages/server/src/store/testing/postgres-databases.ts';
import { startCluster, type TestCluster } from '../cluster.ts';
import type { Endpoint } from '../cluster-load/keyed-calls.ts';
import { type TcpProxy, tcpProxy } from '../cluster-load/tcp-proxy.ts';
import { type TracedSkills, tracedSkills } from '../cluster-load/traced-skills.ts';
import type { Daemon } from '../daemon-process.ts';
import { type PostgresServer, startPostgres } from '../postgres-server.ts';
import { until } from '../until.ts';
import { type VersionedSkill, versionedSkill } from './versioned-skill.ts';

/** Three nodes, each with a network of its own to the database. */
export interface FaultWorld {
  server: PostgresServer;
  cluster: TestCluster;
  skills: TracedSkills;
  versioned: VersionedSkill;
  /** The names of the running nodes. The first one stays for ever: it has the key of the authority. */
  names: readonly string[];
  /** The names of all nodes that ever joined, in the order of their numbers. */
  joined: readonly string[];
  /** The setting `cluster.audit` in their configuration. */
  audit: 'local' | 'shipped';
  node(name: string): Daemon;
  link(name: string): TcpProxy;
  at(name: string): Endpoint;
  /** Starts a node that has ended. */
  restart(name: string, options?: Parameters<TestCluster['start']>[1]): Promise<void>;
  /** Resolves once a node is ready; rejects after a minute. */
  ready(name: string): Promise<void>;
  /** Runs an `ambit` command at the first node, which must succeed. Resolves to its output. */
  command(...args: readonly string[]): Promise<string>;
  commandAt(name: string, ...args: readonly string[]): Promise<string>;
  /** Forgets a node that has ended for ever, and lets a new one join. Resolves to its name. */
  replace(name: string): Promise<string>;
  close(): Promise<void>;
}

export const database = 'faults';
/** More than the nodes use, and few enough for the harness to take all. */
const connectionsMax = 60;
const readyWithinMs = 60_000;
/** The seconds of the nodes' leases: short, for many rounds, and long enough for a busy machine. */
export const leaseSeconds = 5;

/** Starts the database, the nodes and what is between them, with their files in `folder`. */
export async function faultWorld(folder: string, audit: FaultWorld['audit']): Promise<FaultWorld> {
  const names = ['a', 'b', 'c'];
  const joined = [...names];
  await chmod(folder, 0o755);
  const server = await startPostgres({ max_connections: String(connectionsMax) });
  await asAdministrator(server, `CREATE DATABASE ${database}`);
  const links = new Map<string, TcpProxy>();
  for (const name of names) links.set(name, await tcpProxy(server.port));
  const link = (name: string): TcpProxy => known(links, name);
  const skills = await tracedSkills(folder);
  const versioned = await versionedSkill(folder, skills);
  const grants = { ...skills.config.grants, ...versioned.grants };
  const cluster = await startCluster(
    folder,
    (name) => `postgres://${server.user}@127.0.0.1:${link(name).port}/${database}`,
    names,
    { ...skills.config, grants, logLevel: 'warn' },
    { leaseSeconds, audit },
  );
  const nodes = new Map(names.map((name, index) => [name, cluster.nodes[index] as Daemon]));
  const node = (name: string): Daemon => known(nodes, name);
  const commandAt: FaultWorld['commandAt'] = async (name, ...args) => {
    const { code, stdout, stderr } = await cluster.command(name, ...args);
    if (code !== 0) throw new Error(`ambit ${args.join(' ')} failed at ${name}: ${stderr}${stdout}`);
    return stdout.trim();
  };
  const command: FaultWorld['command'] = (...args) => commandAt('a', ...args);
  const key = await command(...['key', 'create', 'clients', '--scope', 'skills:execute']);
  // A node reads new API keys each second. Until then it refuses them.
  const knowsKey = ({ url }: Daemon): Promise<boolean> =>
    until(async () => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const { status } = await fetch(`${url}/skills/traced/execute`, { method: 'POST', headers, body: '{}' });
      return status !== 401;
    });
  for (const each of cluster.nodes) await knowsKey(each);
  return {
    server,
    cluster,
    skills,
    versioned,
    names,
    joined,
    audit,
    node,
    link,
    command,
    commandAt,
    at: (name) => ({ name, url: node(name).url, key }),
    async restart(name, options) {
      // Like a service manager: a node that cannot reach the database ends, and is started again.
      const deadline = performance.now() + readyWithinMs;
      for (;;) {
        const started = await cluster.start(name, options).catch((error: Error) => error);
        if (!(started instanceof Error)) return void nodes.set(name, started);
        if (!started.message.includes('STORE_UNAVAILABLE') || performance.now() > deadline) throw started;
      }
    },
    async replace(name) {
      await link(name).close();
      const next = `node${joined.length + 1}`;
      links.set(next, await tcpProxy(server.port));
      const started = await cluster.add(next);
      await knowsKey(started);
      nodes.set(next, started);
      joined.push(next);
      names.splice(names.indexOf(name), 1, next);
      return next;
    },
    async ready(name) {
      const deadline = performance.now() + readyWithinMs;
      for (let last = ''; ; await delay(100)) {
        const signal = AbortSignal.timeout(2000);
        const answer = await fetch(`${node(name).url}/readyz`, { signal }).catch((error: Error) => error);
        if (!(answer instanceof Error) && answer.status === 200) return;
        last = answer instanceof Error ? answer.message : await answer.text();
        if (performance.now() > deadline) throw new Error(`${name} is not ready after a minute: ${last}`);
      }
    },
    async close() {
      for (const each of nodes.values()) await each.stop('SIGKILL');
      for (const each of links.values()) await each.close();
      await server.stop();
    },
  };
}

function known<Value>(map: ReadonlyMap<string, Value>, name: string): Value {
  const value = map.get(name);
  if (value === undefined) throw new Error(`there is no node ${name}`);
  return value;
}
