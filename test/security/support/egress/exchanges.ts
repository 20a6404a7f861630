import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { outside } from '../../../../packages/runtime/src/egress/testing/test-authority.ts';
import { attackingSkill, execution, type Finding, type Stage, stage } from '../attacker.ts';
import type { Caller } from '../callers.ts';
import type { ExecutionLine } from '../protocol.ts';
import { type Serving, type WebServer, webServers } from './servers.ts';

/** One hand-made connection to the proxy. */
export interface Exchange {
  /** Requests a tunnel first. */
  connect?: string;
  /** TLS inside it: the server name, none if absent, and the offered protocols. */
  tls?: { serverName?: string; protocols?: readonly string[] };
  /**
   * The written bytes, one per character; `{API_TOKEN}` is the placeholder of the secret,
   * `{PASSWORD}` the same in base64.
   */
  send: string;
  /** The number of times that they are written: once if absent. */
  times?: number;
}

/**
 * An attack, its expected result, and its permitted twin: the table's if absent. The twin gets one
 * response, 200, unless its result follows.
 */
export type Row = [
  name: string,
  attack: Exchange,
  got: unknown,
  permitted?: Exchange,
  permittedGot?: unknown,
];

/**
 * A calling program that trusts the tests' certificate authority, like the daemon trusts public
 * ones.
 */
export function stageOnline(caller: Caller, env: Readonly<Record<string, string>> = {}): Readonly<Stage> {
  return stage(caller, async (folder) => {
    const file = join(folder, 'outside.pem');
    await writeFile(file, (await outside).certificate);
    return { env: { ...env, NODE_EXTRA_CA_CERTS: file } };
  });
}

/** Runs an attack script with these rules, requested and granted. */
export async function online(
  { folder, program }: Stage,
  script: string,
  { given, network, exec = ['python3'], ...more }: Online,
): Promise<{ found: Record<string, Finding>; ended: ExecutionLine }> {
  const asked = { network, ...more };
  const skill = await attackingSkill(folder, script, { capabilities: { exec, ...asked } });
  const ended = await execution(program, skill, { given, grant: asked });
  const { outcome, log } = ended;
  if (outcome.status !== 'succeeded') throw new Error(`${JSON.stringify(outcome)}\n${log}`);
  return { found: outcome.output as Record<string, Finding>, ended };
}

interface Online {
  given: unknown;
  network: readonly unknown[];
  secrets?: readonly unknown[];
  filesystem?: object;
  exec?: readonly string[];
}

type Ports<Name extends string> = Readonly<Record<Name, number>>;

/** Exchanges with servers on ports of 127.0.0.1. */
interface Table<Name extends string> {
  env?: Readonly<Record<string, string>>;
  servings: Readonly<Record<Name, Serving>>;
  rows(ports: Ports<Name>): Row[];
  granted(ports: Ports<Name>): Pick<Online, 'network' | 'secrets'>;
  permitted?(ports: Ports<Name>): Exchange;
}

/** Declares a test for each row; one sandbox runs them all, each attack followed by its permitted twin. */
export function testExchanges<Name extends string>(
  title: string,
  caller: Caller,
  { env, servings, rows, granted, permitted }: Table<Name>,
): { servers: Readonly<Record<Name, WebServer>>; ended(): ExecutionLine } {
  const ground = stageOnline(caller, env);
  const servers = webServers(servings);
  let table: Row[] = [];
  let ran: Awaited<ReturnType<typeof online>>;

  beforeAll(async () => {
    const ports = mapped(servers, ({ port }) => port);
    table = rows(ports);
    const given = table.map(([name, attack, , twin = permitted?.(ports)]) => ({
      name,
      attack,
      permitted: twin,
    }));
    ran = await online(ground, 'exchanges.py', { given, ...granted(ports) });
  });

  // Tests are declared before the servers have ports, so no name may depend on a port.
  const named = rows(mapped(servings, (_, index) => index + 1));
  test.each(named.map(([name], index) => [name, index] as const))(title, (name, index) => {
    const [, , got, , permittedGot = { statuses: [200] }] = table[index] as Row;
    expect(ran.found[name]).toEqual({ attack: got, permitted: permittedGot });
  });
  return { servers, ended: () => ran.ended };
}

/** Like `map` of a list, for a record. */
export function mapped<Name extends string, T, U>(
  record: Readonly<Record<Name, T>>,
  to: (value: T, index: number) => U,
): Record<Name, U> {
  const entries = Object.entries<T>(record).map(([name, value], index) => [name, to(value, index)]);
  return Object.fromEntries(entries) as Record<Name, U>;
}

/** A request that closes its connection; its Host is its URL's, unless a header sets it. */
export function request(line: string, headers: readonly string[] = [], body = ''): string {
  const [, authority] = /:\/\/(?:[^/?#@]*@)?([^/?#]*)/.exec(line) ?? [];
  const named = authority === undefined || headers.some((header) => /^host\s*:/i.test(header));
  const all = [...(named ? [] : [`Host: ${authority}`]), ...headers, 'Connection: close'];
  return `${[`${line} HTTP/1.1`, ...all].join('\r\n')}\r\n\r\n${body}`;
}
