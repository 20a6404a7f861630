// Threat model: T95

import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { memoryOfOthers } from '../../scripts/check/needs.mjs';
import { type AttackTable, execution, testAttacks } from './support/attacker.ts';
import { callers } from './support/callers.ts';
import { online, stageOnline } from './support/egress/exchanges.ts';
import { foundBelow } from './support/egress/memory-of.ts';
import { webServers } from './support/egress/servers.ts';
import type { ExecutionLine } from './support/protocol.ts';
import { wasmSkill } from './support/wasm/wasm-skill.ts';

const plain = 'as plain as can be';
const readsMemory = memoryOfOthers.why() === undefined;

describe.each(callers)('as $name', (caller) => {
  const secret = `CANARY-${randomUUID()}`;
  const marker = `marker-${randomUUID()}`;
  const forms = {
    plain: secret,
    base64: Buffer.from(secret).toString('base64').slice(0, -4),
    hexadecimal: Buffer.from(secret).toString('hex'),
  };
  const ground = stageOnline(caller, { AMBIT_API_TOKEN: secret });
  let [used, outside]: unknown[][] = [[], []];
  const servers = webServers({
    right: {
      handler({ url, headers: { authorization } }, response) {
        used?.push(authorization === `Bearer ${secret}`);
        if (url === '/echo') return echo(secret, response);
        void foundBelow(ground.program.pid, { ...forms, marker }).then((found) => {
          outside?.push(found);
          echo(secret, response);
        });
      },
    },
  });
  const address = (): string => `http://127.0.0.1:${servers.right.port}`;
  const capabilities = () => ({
    network: [address()],
    secrets: [{ name: 'API_TOKEN', hosts: [address()] }],
  });

  describe('a program that looks for the secret', () => {
    let ended: ExecutionLine;

    const places: AttackTable = [
      ['a response that the secret’s host echoes', [], [200, true]],
      ['the environment of every process', [], true],
      ['its own memory', [], true],
      ['its memory and the first process’s memory, read from outside while it waits', [], true],
      ['a core dump', [], true],
      ['every file that it can read', [], true],
    ];
    testAttacks(places, async () => {
      [used, outside] = [[], []];
      const given = { right: address(), marker, plain };
      const ran = await online(ground, 'canary.py', {
        given,
        filesystem: { write: ['workspace'] },
        ...capabilities(),
      });
      ended = ran.ended;
      return ran.found;
    });

    test('a program’s secret was used, and is in no memory, file, log or response', () => {
      const out = JSON.stringify(ended);
      expect({
        used,
        // The search works: it finds the marker.
        outside,
        out: Object.values(forms).filter((form) => out.includes(form)),
        permitted: [ended.log.includes(plain), ended.files?.map(({ content }) => content?.includes(plain))],
      }).toEqual({
        used: [true, true],
        outside: [readsMemory ? ['marker'] : []],
        out: [],
        permitted: [true, [true]],
      });
    });
  });

  test('a script’s secret was used, and is not in its host’s memory, log or response', async () => {
    [used, outside] = [[], []];
    const script = `import { env, fetch, log } from 'ambit';
      export default async ({ right, marker }) => {
        const headers = { authorization: 'Bearer ' + env('API_TOKEN') };
        const echoed = [await fetch(right + '/echo', { headers }), await fetch(right + '/wait', { headers })];
        const texts = echoed.map(({ headers, text }) => JSON.stringify(headers) + text());
        texts.forEach((text) => log(text));
        return { texts, held: env('API_TOKEN').slice(0, 13), marker };
      };`;
    const skill = await wasmSkill(ground.folder, 'index.js', script, { capabilities: capabilities() });
    const given = { right: address(), marker };
    const ended = await execution(ground.program, skill, { given, grant: capabilities() });
    const out = JSON.stringify(ended);
    expect({
      outcome: ended.outcome,
      used,
      outside,
      out: Object.values(forms).filter((form) => out.includes(form)),
      permitted: ended.log.includes(plain),
    }).toEqual({
      outcome: {
        status: 'succeeded',
        output: {
          texts: [expect.stringContaining(plain), expect.stringContaining(plain)],
          held: 'ambit-secret-',
          marker,
        },
      },
      used: [true, true],
      outside: [readsMemory ? ['marker'] : []],
      out: [],
      permitted: true,
    });
  });
});

/** Echoes the secret in a header and in the body: plain, encoded, and in two pieces. */
function echo(secret: string, response: ServerResponse): void {
  const encoded = [
    Buffer.from(secret).toString('base64'),
    Buffer.from(`a${secret}`).toString('base64'),
    Buffer.from(secret).toString('hex'),
  ];
  response.writeHead(200, { 'x-echo': secret, 'set-cookie': `token=${secret}` });
  response.write(`${plain} ${secret} ${encoded.join(' ')} ${secret.slice(0, 20)}`);
  setImmediate(() => response.end(secret.slice(20)));
}
