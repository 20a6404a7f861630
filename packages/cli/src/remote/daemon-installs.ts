import { type AmbitClientOptions, ambitClient } from '@ambit/client';
import type { DaemonInstalls } from '../ports/actions.ts';
import { withLocalErrors } from './local-error.ts';

/** Installed skills of a daemon. */
export function daemonInstalls(daemon: AmbitClientOptions): DaemonInstalls {
  const { installs } = ambitClient(daemon);
  const translated = withLocalErrors(daemon.url);
  return {
    list: () => translated(installs.list()),
    review: (id) => translated(installs.review(id)),
    add: ({ source, namespace, skills }, { signal }) =>
      translated(installs.add({ source, namespace, skills }, { signal })),
    // The daemon wants to know what was approved.
    async approve({ id, tier, until, review, digest }, { signal }) {
      const found = digest === undefined ? await translated(installs.review(id)) : undefined;
      const version = {
        digest: digest ?? found?.digest ?? '',
        tier,
        until,
        review: review ?? found?.review,
      };
      return translated(installs.approve(id, version, { signal }));
    },
    async approveAll({ skills, tier, until }, { signal }) {
      const listed = skills.some(({ digest }) => digest === undefined)
        ? await translated(installs.list())
        : [];
      const versions = await Promise.all(
        skills.map(async ({ id, digest, review }) => {
          if (digest !== undefined) return { id, digest, review };
          const found = listed.filter((each) => each.id === id || each.id.endsWith(`:${id}`));
          const only = found.find((each) => each.id === id) ?? found[0];
          // Without a digest the daemon refuses the whole change and names the skill.
          if (only === undefined) return { id, digest: '' };
          // The digest of its files does not name its packages, or which version waits.
          const isNamed = only.dependencies === null && only.waiting === null;
          return isNamed
            ? { id, digest: only.digest }
            : pickReview(id, await translated(installs.review(only.id)));
        }),
      );
      return translated(installs.approveAll({ skills: versions, tier, until }, { signal }));
    },
    outdated: (ids, { signal }) => translated(installs.outdated(ids, { signal })),
    update: (ids, { signal }) => translated(installs.update(ids, { signal })),
    revoke: (subject, reason, { signal }) => translated(installs.revoke(subject, reason, { signal })),
    restore: (subject, { signal }) => translated(installs.restore(subject, { signal })),
    remove: (ids, { signal }) => translated(installs.remove(ids, { signal })),
    lockPackages: ({ id, add }, { signal }) =>
      translated(installs.lockPackages(id, { add: [...add] }, { signal })),
    sync: (options, { signal }) => translated(installs.sync(options, { signal })),
  };
}

function pickReview(id: string, { digest, review }: { digest: string; review: string }) {
  return { id, digest, review };
}
