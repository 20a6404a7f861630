import { issueWords } from '@ambit/core/skill';
import { z } from 'zod';
import type { ConfigEntry, ConfigSources, NamedDaemon, Origin } from './config.ts';
import { anchoredPath } from './file/plain-values.ts';

/** The base URL of a daemon: scheme, host and port. */
const Address = z
  .string()
  .refine(
    (text) => isOrigin(text),
    'write an address such as https://ambit.example.org:7433, with nothing after the port',
  )
  .transform((text) => new URL(text).origin);

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, href, host } = new URL(text);
  return /^https?:$/.test(protocol) && href === `${protocol}//${host}/`;
}

/** The daemon that flags or the environment name, or `undefined`, and every mistake in those values. */
export function readNamedDaemon({ flags, env, cwd, home }: ConfigSources): {
  daemon: NamedDaemon | undefined;
  origins: Readonly<Record<keyof NamedDaemon, Origin>>;
  issues: string[];
} {
  const places = {
    url: flags.url === undefined ? ('env:AMBIT_URL' as const) : ('flag:--url' as const),
    keyFile: flags.keyFile === undefined ? ('env:AMBIT_KEY_FILE' as const) : ('flag:--key-file' as const),
  };
  const url = flags.url ?? (env['AMBIT_URL'] || undefined);
  const keyFile = flags.keyFile ?? (env['AMBIT_KEY_FILE'] || undefined);
  const read = {
    url: Address.optional().safeParse(url),
    keyFile: anchoredPath(cwd, home).optional().safeParse(keyFile),
  };
  const issues = (['url', 'keyFile'] as const).flatMap((key) => {
    const { error } = read[key];
    const given = { url, keyFile }[key];
    return (error?.issues ?? [])
      .slice(0, 1)
      .map((issue) => `${places[key].replace(/^\w+:/, '')}: ${issueWords(issue, given)}`);
  });
  const daemon = { url: read.url.data, keyFile: read.keyFile.data };
  const isNamed = daemon.url !== undefined || daemon.keyFile !== undefined;
  return { daemon: isNamed ? daemon : undefined, origins: places, issues };
}

/** The daemon's address and key file as configuration entries. */
export function namedDaemonEntries({ daemon, origins }: ReturnType<typeof readNamedDaemon>): ConfigEntry[] {
  return (['url', 'keyFile'] as const).flatMap((key) => {
    const value = daemon?.[key];
    return value === undefined ? [] : [{ key: `daemon.${key}`, value, origin: origins[key] }];
  });
}
