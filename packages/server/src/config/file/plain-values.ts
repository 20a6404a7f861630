import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { logLevels } from '../config.ts';
import { withHome } from '../home-path.ts';

/** Where a daemon can listen, or be called. */
export const Host = z
  .string()
  .refine(
    (host) => isIP(host) !== 0 || /^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(host),
    'write a host name or an address, without a port: 127.0.0.1',
  );

/** 0: whichever is free. */
export const Port = z
  .int('write a port, 0 to 65535')
  .min(0, 'write a port, 0 to 65535')
  .max(65_535, 'write a port, 0 to 65535');

/** How much goes to the daemon's log. */
export const LogLevel = z.enum(logLevels);

/** A path, absolute afterwards: `~` is the home directory, and what is relative starts at `folder`. */
export function anchoredPath(folder: string, home: string) {
  return z
    .string()
    .min(1, 'write a path')
    .transform((path) => resolve(folder, withHome(path, home)));
}
