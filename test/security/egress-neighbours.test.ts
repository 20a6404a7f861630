// Threat model: T99, T199

import { chmod, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isWhole } from '../support/whole.ts';
import { attackingSkill, execution } from './support/attacker.ts';
import { lastCaller } from './support/callers.ts';
import { stageOnline } from './support/egress/exchanges.ts';
import { type WebServer, webServer } from './support/egress/servers.ts';
import type { ExecutionLine } from './support/protocol.ts';
import { wasmSkill } from './support/wasm/wasm-skill.ts';

const calls = isWhole ? 200 : 40;
/**
 * The number of parallel programs. Scripts run in the available hosts, and all are requested at the
 * same time.
 */
const programsAtOnce = isWhole ? 40 : 10;

const script = `import { fetch } from 'ambit';
  const asked = (url) => fetch(url).then(({ status }) => status, ({ message }) => Number(message.includes('is not granted')));
  export default async ({ own, other }) => [await asked(other), await asked(own), await asked(other)];`;

/** One call, and its own rule. */
interface Neighbour {
  own: string;
  other: string;
  path: string;
}

describe.each(lastCaller)('as $name', (caller) => {
  const ground = stageOnline(caller);
  let servers: WebServer[];

  beforeAll(async () => {
    servers = await Promise.all(Array.from({ length: calls }, () => webServer()));
  });
  afterAll(async () => {
    for (const server of servers) server.close();
  });

  const neighbours = (path: string): Neighbour[] =>
    servers.map(({ port }, index) => ({
      own: `http://127.0.0.1:${port}`,
      other: `http://127.0.0.1:${servers[(index + 1) % calls]?.port}`,
      path,
    }));

  /** Its output, and the hosts in its record. */
  const result = (ended: ExecutionLine): unknown => {
    const { outcome, connections = [] } = ended;
    const reached = connections
      .filter(({ decision }) => decision === 'allowed')
      .map(({ host, port }) => `http://${host}:${port}`);
    return { got: outcome.status === 'succeeded' ? outcome.output : outcome, reached };
  };

  test('many programs, each with its own rule, reach only their own host', async () => {
    const all = neighbours('/program');
    const called = async ({ own, other, path }: Neighbour): Promise<unknown> => {
      const folder = await mkdtemp(join(ground.folder, 'program-'));
      await chmod(folder, 0o755);
      const skill = await attackingSkill(folder, 'neighbour_host.py', {
        capabilities: { exec: ['python3'], network: [own] },
      });
      const given = { own: own + path, other: other + path };
      return result(await execution(ground.program, skill, { given, grant: { network: [own] } }));
    };
    expect(await inLanes(all, programsAtOnce, called)).toEqual(
      all.map(({ own }) => ({
        got: { 'what only a neighbour may reach': { attack: [403, 403], permitted: 200 } },
        reached: [own],
      })),
    );
    expect(servers.map(({ heard }) => heard.splice(0))).toEqual(all.map(() => ['GET /program']));
  });

  test('many parallel scripts, each with its own rule, reach only their own host', async () => {
    const all = neighbours('/script');
    const called = async ({ own, other, path }: Neighbour): Promise<unknown> => {
      const skill = await wasmSkill(ground.folder, 'index.js', script, { capabilities: { network: [own] } });
      const given = { own: own + path, other: other + path };
      return result(await execution(ground.program, skill, { given, grant: { network: [own] } }));
    };
    expect(await inLanes(all, calls, called)).toEqual(
      all.map(({ own }) => ({ got: [1, 200, 1], reached: [own] })),
    );
    expect(servers.map(({ heard }) => heard.splice(0))).toEqual(all.map(() => ['GET /script']));
  });
});

/** Runs all of them in order, with limited parallelism. */
async function inLanes<T, R>(all: readonly T[], lanes: number, run: (each: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = all.entries();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const [index, each] of waiting) results[index] = await run(each);
    }),
  );
  return results;
}
