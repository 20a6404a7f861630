import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outside } from '../../../../packages/runtime/src/egress/testing/test-authority.ts';
import { attackingSkill, execution, type Finding, type Stage, stage } from '../attacker.ts';
import type { Caller } from '../callers.ts';
import type { ExecutionLine } from '../protocol.ts';

/** One connection to the proxy, made by hand. */
export interface Exchange {
  /** A tunnel is asked for first. */
  connect?: string;
  /** Within it, TLS: the name that is asked for, none when absent, and the protocols that are offered. */
  tls?: { serverName?: string; protocols?: readonly string[] };
  /** What is written, a character a byte; `{API_TOKEN}` is what stands for the secret, `{PASSWORD}` the same in base64. */
  send: string;
  /** How often that is written: once when absent. */
  times?: number;
}

/** An attack, what it gets, and what is permitted in the same way. */
export interface Row {
  name: string;
  attack: Exchange;
  got: unknown;
  permitted?: Exchange;
  /** One answer, 200, when absent. */
  permittedGot?: unknown;
}

/** A calling program that trusts the authority of the tests' servers, as the daemon trusts those of the web. */
export function stageOnline(caller: Caller, env: Readonly<Record<string, string>> = {}): Promise<Stage> {
  return stage(caller, async (folder) => {
    const file = join(folder, 'outside.pem');
    await writeFile(file, (await outside).certificate);
    return { env: { ...env, NODE_EXTRA_CA_CERTS: file } };
  });
}

/** Runs a script of the attacks with these rules, requested and granted. */
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

/** Makes all the exchanges of a table in one sandbox, each with its permitted twin behind it. */
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

/** A request that ends its connection; its Host is that of its URL, where it is not among the headers. */
export function request(line: string, headers: readonly string[] = [], body = ''): string {
  const [, authority] = /:\/\/(?:[^/?#@]*@)?([^/?#]*)/.exec(line) ?? [];
  const named = authority === undefined || headers.some((header) => /^host\s*:/i.test(header));
  const all = [...(named ? [] : [`Host: ${authority}`]), ...headers, 'Connection: close'];
  return `${[`${line} HTTP/1.1`, ...all].join('\r\n')}\r\n\r\n${body}`;
}
