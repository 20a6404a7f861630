import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outside } from '../../../../packages/runtime/src/egress/testing/test-authority.ts';
import { attackingSkill, execution, type Finding, type Stage, stage } from '../attacker.ts';
import type { Caller } from '../callers.ts';
import type { ExecutionLine } from '../protocol.ts';

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
  /** How often they are written: once if absent. */
  times?: number;
}

/** An attack, its expected result, and its permitted twin. */
export interface Row {
  name: string;
  attack: Exchange;
  got: unknown;
  permitted?: Exchange;
  /** One response, 200, if absent. */
  permittedGot?: unknown;
}

/**
 * A calling program that trusts the tests' certificate authority, like the daemon trusts public
 * ones.
 */
export function stageOnline(caller: Caller, env: Readonly<Record<string, string>> = {}): Promise<Stage> {
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

/** Runs all exchanges of a table in one sandbox, each followed by its permitted twin. */
export function exchanges(
  ground: Stage,
  granted: Pick<Online, 'network' | 'secrets'>,
  rows: readonly Row[],
  permitted: Exchange,
): ReturnType<typeof online> {
  const given = rows.map((row) => ({
    name: row.name,
    attack: row.attack,
    permitted: row.permitted ?? permitted,
  }));
  return online(ground, 'exchanges.py', { given, ...granted });
}

/** A request that closes its connection; its Host is its URL's, unless a header sets it. */
export function request(line: string, headers: readonly string[] = [], body = ''): string {
  const [, authority] = /:\/\/(?:[^/?#@]*@)?([^/?#]*)/.exec(line) ?? [];
  const named = authority === undefined || headers.some((header) => /^host\s*:/i.test(header));
  const all = [...(named ? [] : [`Host: ${authority}`]), ...headers, 'Connection: close'];
  return `${[`${line} HTTP/1.1`, ...all].join('\r\n')}\r\n\r\n${body}`;
}
