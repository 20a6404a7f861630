import type { AmbitClientOptions } from '@ambit/client';
import type { Installs } from '../../installs/installs.ts';

/** Installed skills of a daemon. */
export function daemonInstalls(_daemon: AmbitClientOptions): Installs {
  throw new Error('not connected yet');
}
