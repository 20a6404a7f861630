import { join } from 'node:path';
import type { Daemon } from '../../support/daemon-process.ts';
import { commit, git, startGitServer } from '../../support/git-server.ts';

/** The actions of a person on the installed skills of a daemon, over HTTP. Each resolves to the answer, also to a refusal. */
export function installsOf(daemon: () => Daemon) {
  const post = async (path: string, body: object = {}) =>
    (await daemon().request('POST', `/installs${path}`, { body })).body;
  const review = async (id: string) => (await daemon().request('GET', `/installs/${id}`)).body;
  return {
    post,
    review,
    /** Approves what was reviewed; by default, the current version. */
    async approve(id: string, reviewed?: { digest: string; review: string }) {
      const { digest, review: name } = reviewed ?? (await review(id));
      return post(`/${id}/approve`, { digest, review: name });
    },
    /** Returns the output of a call, or the code of its refusal. */
    async printed(id: string, body: object = {}) {
      const { code, outcome } = (await daemon().execute(id, body)).body;
      return code ?? outcome.output?.stdout ?? outcome;
    },
  };
}

/** Repositories on a git server that the tests of a file share. The caller closes the server. */
export async function repositoriesIn(root: string) {
  const { url, close } = await startGitServer(root);
  return {
    url,
    close,
    /** The repository `skills` of an owner; its source is the branch `release`, which each commit moves. */
    of(owner: string) {
      const folder = join(root, owner, 'skills');
      const publish = (files: Parameters<typeof commit>[1]): void => {
        commit(folder, files);
        git(folder, 'branch', '--force', 'release');
      };
      return { folder, publish, source: `${url}/${owner}/skills#release` };
    },
  };
}
