import { setTimeout as delay } from 'node:timers/promises';
import type { FaultWorld } from './fault-world.ts';

/** A client that replaces a number in a file of a workspace by the next one, at any node, and reads it at another. */
export interface FileWrites {
  writeUntil(ended: AbortSignal, random: () => number, violate: (what: string) => void): Promise<void>;
  /** Every node has what was acknowledged. */
  check(violate: (what: string) => void): Promise<void>;
  /** Acknowledged writes. */
  written(): number;
}

const pauseMs = 50;

/** Creates the workspace. */
export async function fileWrites(world: FaultWorld): Promise<FileWrites> {
  const made = await fetch(`${world.at('a').url}/workspaces`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.at('a').key}`, 'content-type': 'application/json' },
    body: '{}',
  });
  if (made.status !== 201) throw new Error(`no workspace: ${made.status} ${await made.text()}`);
  const { id } = (await made.json()) as { id: string };
  let [sent, acknowledged, written] = [0, 0, 0];
  const ask = async (name: string, method: string, body?: string): Promise<Response | undefined> => {
    const { url, key } = world.at(name);
    return fetch(`${url}/workspaces/${id}/files/count`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' },
      ...(body === undefined ? {} : { body }),
    }).catch(() => undefined);
  };
  /** Resolves to why nothing was read; `undefined`: the file was. */
  const read = async (name: string, violate: (what: string) => void): Promise<string | undefined> => {
    const least = acknowledged;
    const answer = await ask(name, 'GET');
    const text = await answer?.text().catch(() => undefined);
    if (answer === undefined || text === undefined) return 'the connection failed';
    if (answer.status >= 500) return `${answer.status} ${text.slice(0, 500)}`;
    const value = answer.status === 200 ? Number(text) : Number.NaN;
    if (!(value >= least && value <= sent) && !(answer.status === 404 && least === 0))
      violate(`${least} was written, ${sent} sent, and ${name} has ${answer.status} ${text.slice(0, 200)}`);
    return undefined;
  };
  const anyOf = (random: () => number): string =>
    world.names[Math.floor(random() * world.names.length)] ?? 'a';
  return {
    async writeUntil(ended, random, violate) {
      while (!ended.aborted) {
        sent += 1;
        const value = sent;
        const answer = await ask(anyOf(random), 'PUT', String(value));
        await answer?.arrayBuffer().catch(() => undefined);
        if (answer?.status === 200 || answer?.status === 201) {
          acknowledged = value;
          written += 1;
        }
        await read(anyOf(random), violate);
        await delay(pauseMs);
      }
    },
    async check(violate) {
      for (const name of world.names) {
        const until = performance.now() + 30_000;
        for (let last = await read(name, violate); last !== undefined; last = await read(name, violate)) {
          if (performance.now() > until) return violate(`${name} does not read the file: ${last}`);
          await delay(100);
        }
      }
    },
    written: () => written,
  };
}
