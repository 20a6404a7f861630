import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  asAdministrator,
  takeAllConnections,
} from '../../../packages/server/src/store/testing/postgres-databases.ts';
import { runsIn } from '../cluster-load/check-history.ts';
import { type Fault, leaseMs, oneOf } from './fault.ts';
import { loseNode } from './lose-node.ts';
import { updateSkill } from './update-skill.ts';
import { upgradeSchema } from './upgrade-schema.ts';

/** The longest time from the revocation of a key to the end of its calls. */
const revokedWithinMs = 4000;
const streamEndsWithinMs = 20_000;
const hourMs = 3_600_000;

export const faults: Readonly<Record<string, Fault>> = {
  async 'a node is killed'({ world, random }) {
    const name = oneOf(world.names, random);
    await world.node(name).stop('SIGKILL');
    await delay(random() * 2 * leaseMs);
    await world.restart(name);
    return `killed ${name}`;
  },

  async 'a node is stopped for longer than its lease'({ world, random }) {
    const name = oneOf(world.names, random);
    world.node(name).signal('SIGSTOP');
    const ms = Math.round(leaseMs * (1 + random()));
    await delay(ms);
    world.node(name).signal('SIGCONT');
    return `stopped ${name} for ${ms} ms`;
  },

  async 'the database is killed'({ world, random }) {
    await world.server.kill();
    const ms = Math.round(random() * 1.5 * leaseMs);
    await delay(ms);
    await world.server.start();
    return `killed the database for ${ms} ms`;
  },

  async 'the database is read-only'({ world, random }) {
    const set = async (value: string): Promise<void> => {
      await asAdministrator(world.server, `ALTER SYSTEM SET default_transaction_read_only = ${value}`);
      await asAdministrator(world.server, 'SELECT pg_reload_conf()');
    };
    await set('on');
    const ms = Math.round(random() * 1.5 * leaseMs);
    await delay(ms);
    await set('off');
    return `made the database read-only for ${ms} ms`;
  },

  async 'the database is slow'({ world, random }) {
    const slowed = random() < 0.5 ? world.names : [oneOf(world.names, random)];
    for (const name of slowed) world.link(name).slowDown(500);
    const ms = Math.round((1 + random()) * leaseMs);
    await delay(ms);
    for (const name of slowed) world.link(name).restore();
    return `slowed the database down by 500 ms for ${slowed} and ${ms} ms`;
  },

  async 'the database has no connections left'({ world, random }) {
    const giveBack = await takeAllConnections(world.server);
    const ms = Math.round(random() * 1.5 * leaseMs);
    await delay(ms);
    await giveBack();
    return `took all connections for ${ms} ms`;
  },

  async 'a node cannot reach the database'({ world, random }) {
    const name = oneOf(world.names, random);
    const link = world.link(name);
    const isSilent = random() < 0.5;
    if (isSilent) link.silence();
    else link.cut();
    const ms = Math.round(random() * 2 * leaseMs);
    await delay(ms);
    link.restore();
    return `${isSilent ? 'silenced' : 'cut'} the network between ${name} and the database for ${ms} ms`;
  },

  async 'two nodes have one identity'({ world, random, report }) {
    const name = oneOf(world.names, random);
    const folder = await mkdtemp(join(tmpdir(), 'ambit-copy-'));
    const dataDir = join(folder, 'data');
    const node = world.node(name);
    // Stopped, so that its files belong together, as in a snapshot of the disk.
    node.signal('SIGSTOP');
    await cp(node.dataDir, dataDir, { recursive: true }).finally(() => node.signal('SIGCONT'));
    // It may be refused before or while it waits for the end of the lease of its original.
    const started = await world.cluster.start(name, { dataDir }).catch((error: Error) => error);
    if (!(started instanceof Error)) {
      report(`a copy of ${name} started`);
      await started.stop('SIGKILL');
    } else if (!started.message.includes('NODE_DUPLICATED'))
      report(`a copy of ${name} was refused with ${started.message.slice(-500)}`);
    await rm(folder, { recursive: true });
    return `started a copy of ${name}`;
  },

  async 'a key is revoked'({ world, report }) {
    const name = `revoked-${randomUUID()}`;
    const key = await world.command('key', 'create', name, '--scope', 'skills:execute');
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const ask = async (
      node: string,
    ): Promise<{ node: string; status: number; text: string; endedAt: number }> => {
      const body = JSON.stringify({ input: { key: `${name}-${node}` } });
      const url = `${world.node(node).url}/skills/held/execute`;
      for (;;) {
        const answer = await fetch(url, { method: 'POST', headers, body });
        const [text, endedAt] = [await answer.text(), performance.now()];
        // A node reads new keys each second.
        if (answer.status !== 401 || isRevoked) return { node, status: answer.status, text, endedAt };
      }
    };
    let isRevoked = false;
    const calls = Promise.all(world.names.map(ask));
    const hasBegun = async (): Promise<boolean> => {
      const runs = await runsIn(world.skills.runs);
      return world.names.every((node) => runs.has(`${name}-${node}`));
    };
    while (!(await hasBegun())) await delay(50);
    await world.command('key', 'revoke', name);
    isRevoked = true;
    const revokedAt = performance.now();
    for (const { node, status, text, endedAt } of await calls) {
      const ms = Math.round(endedAt - revokedAt);
      if (ms > revokedWithinMs) report(`the call of a revoked key ended at ${node} after ${ms} ms`);
      if (!text.includes('"canceled"')) report(`the call of a revoked key ended with ${status} ${text}`);
    }
    await delay(Math.max(0, revokedAt + revokedWithinMs - performance.now()));
    for (const node of world.names) {
      const { status } = await fetch(`${world.node(node).url}/skills/held/execute`, {
        method: 'POST',
        headers,
        body: '{}',
      });
      if (status !== 401 && status !== 503) report(`${node} answered a revoked key with ${status}`);
    }
    return 'revoked a key';
  },

  async 'a node is killed while another passes on its stream'({ world, random, report }) {
    const owner = oneOf(world.names, random);
    const other = oneOf(
      world.names.filter((name) => name !== owner),
      random,
    );
    const body = { input: { key: `stream-${randomUUID()}` } };
    const headers = { prefer: 'respond-async' };
    const started = await world.node(owner).request('POST', '/skills/held/execute', { body, headers });
    const { executionId: id } = started.body;
    const { url, key } = world.node(other);
    const events = await fetch(`${url}/executions/${id}/events`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const read = events.text().catch((error: Error) => `broken: ${error.message}`);
    await world.node(owner).stop('SIGKILL');
    const text = await Promise.race([read, delay(streamEndsWithinMs, undefined, { ref: false })]);
    if (text === undefined) report(`${other} did not end the stream of ${id} after ${owner} was killed`);
    else if (/"succeeded"/.test(text)) report(`the stream of ${id} ended as succeeded: ${text.slice(-300)}`);
    await world.restart(owner);
    await world.ready(owner);
    const [record] = await world.node(owner).audit(`?executionId=${id}`);
    if (record?.outcome !== 'interrupted') report(`${id} of a killed node is recorded as ${record?.outcome}`);
    return `killed ${owner} while ${other} passed on a stream`;
  },

  async 'a clock is wrong'({ world, random }) {
    const name = oneOf(world.names, random);
    const shiftMs = random() < 0.5 ? hourMs : -hourMs;
    await world.node(name).stop();
    await world.restart(name, {
      nodeArgs: ['--import', new URL('shifted-clock.mjs', import.meta.url).href],
      env: { SHIFTED_CLOCK_MS: String(shiftMs) },
    });
    await world.ready(name);
    await delay(leaseMs / 2);
    await world.node(name).stop();
    await world.restart(name);
    return `set the clock of ${name} to ${shiftMs} ms`;
  },

  'a skill is updated': updateSkill,
  'the schema is upgraded': upgradeSchema,
  'a node is lost for ever': loseNode,
};
