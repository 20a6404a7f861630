// Threat model: T337

import type { Workspace } from '@ambit/core/workspace';
import { expect, test } from 'vitest';
import { listing } from './listing.ts';

const named = (id: string, paths: readonly string[] = []): Workspace => ({
  id,
  owner: 'tester',
  label: null,
  quotaBytes: 100,
  expiresInMs: 60_000,
  createdAt: 0,
  usedAt: 0,
  links: [],
  folders: [],
  files: paths.map((path) => ({ path, bytes: 1, sha256: '0'.repeat(64), modified: 0 })),
});
const numbers = (count: number, length: number): string[] =>
  Array.from({ length: count }, (_, index) => `${index}`.padStart(length, '0'));

/** All names, read in pages by following the responses, and the number of pages. */
function readThrough(list: (after: string | undefined) => string, names: (answer: never) => string[]) {
  const all: string[] = [];
  let pages = 0;
  for (let after: string | undefined; ; ) {
    const answer = JSON.parse(list(after));
    all.push(...names(answer as never));
    pages += 1;
    if (answer.more === undefined) return { all, pages };
    const [, next = ''] = /^\d+ more; list again with "after": (".*")$/.exec(answer.more) ?? [];
    after = JSON.parse(next);
  }
}

test.each([
  ['as many as fit on a page', 500, 4, 1],
  ['one more', 501, 4, 2],
  ['long paths', 70, 1000, 3],
])('the files of a workspace are listed in pages: %s', (_, count, length, pages) => {
  const paths = numbers(count, length);
  const read = readThrough(
    (after) => listing.ofOne(named('w1', paths), after),
    ({ files }: { files: { path: string }[] }) => files.map(({ path }) => path),
  );
  expect(read).toEqual({ all: paths, pages });
});

test('workspaces are listed in pages', () => {
  const ids = numbers(1200, 36);
  const read = readThrough(
    (after) =>
      listing.ofAll(
        ids.map((id) => named(id)),
        after,
      ),
    ({ workspaces }: { workspaces: { id: string }[] }) => workspaces.map(({ id }) => id),
  );
  expect(read).toEqual({ all: ids, pages: 3 });
});
