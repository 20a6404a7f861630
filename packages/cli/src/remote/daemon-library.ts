import { type AmbitClientOptions, ambitClient } from '@ambit/client';
import type { DaemonLibrary } from '../ports/actions.ts';
import { withLocalErrors } from './local-error.ts';

/** Reads a daemon's skills. Rejects with the daemon's errors. */
export function daemonLibrary(daemon: AmbitClientOptions): DaemonLibrary {
  const client = ambitClient(daemon);
  const translated = withLocalErrors(daemon.url);
  return {
    async skills() {
      const { next: first, ...found } = await translated(client.skills());
      const skills = [...found.skills];
      for (let after = first; after !== null; ) {
        const page = await translated(client.skills({ after }));
        skills.push(...page.skills);
        after = page.next;
      }
      // Only the first page lists unusable folders.
      return { ...found, skills };
    },
    skill: (id) => translated(client.skill(id)),
    compose: (body) => translated(client.prompt(body)),
  };
}
