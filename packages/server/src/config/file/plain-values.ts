import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { z } from 'zod';

/** A host that a daemon listens on or is called by. */
export const Host = z
  .string()
  .refine(
    (host) => isIP(host) !== 0 || /^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(host),
    'write a host name or an address without a port, such as 127.0.0.1',
  );

/** 0 picks a free port. */
export const Port = z
  .int('write a port from 0 to 65535')
  .min(0, 'write a port from 0 to 65535')
  .max(65_535, 'write a port from 0 to 65535');

/** The base URL of a daemon: scheme, host and port. */
export const DaemonUrl = z
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

/** The levels of the daemon's log, from few messages to many, and none. */
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** A path, made absolute: `~` is the home directory, and relative paths start at `folder`. */
export function anchoredPath(folder: string, home: string) {
  return z
    .string()
    .min(1, 'write a path')
    .transform((path) => resolve(folder, withHome(path, home)));
}

/** Expands `~` and `~/…` to the home directory, like a shell. */
export function withHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}
