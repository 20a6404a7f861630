import { type AmbitClientOptions, ambitClient } from '@ambit/client';
import type { ConsoleClient } from '../ports/actions.ts';
import { withLocalErrors } from './local-error.ts';

/** The web console of a daemon. `socketPath`: it is called over its private socket, and not at its URL. */
export function daemonConsole(
  daemon: AmbitClientOptions & { socketPath?: string | undefined },
): ConsoleClient {
  const { console } = ambitClient(daemon);
  const translated = withLocalErrors(daemon.url);
  const here = `${daemon.url.replace(/\/+$/, '')}/console/`;
  return {
    async signIn({ readOnly }) {
      const { code, expiresAt, url = here } = await translated(console.code('sign-in', { readOnly }));
      // A named address, such as a proxy's, works from here.
      const page = daemon.socketPath === undefined ? here : url;
      return { url: `${page}#code=${code}`, expiresAt };
    },
    confirm: (decision) => translated(console.code('confirm', { decision })),
    sessions: () => translated(console.sessions()),
    revoke: (id) => translated(console.revoke(id)),
  };
}
