import { type AmbitClientOptions, ambitClient } from '@ambit/client';
import type { ConsoleClient } from '../ports/actions.ts';
import { withLocalErrors } from './local-error.ts';

/** The web console of a daemon. */
export function daemonConsole(daemon: AmbitClientOptions): ConsoleClient {
  const { console } = ambitClient(daemon);
  const translated = withLocalErrors(daemon.url);
  return {
    url: daemon.url.replace(/\/+$/, ''),
    code: (purpose, options) => translated(console.code(purpose, options)),
    sessions: () => translated(console.sessions()),
    revoke: (id) => translated(console.revoke(id)),
  };
}
