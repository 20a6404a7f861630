import { hash } from 'node:crypto';
import {
  allBytesOf,
  openWorkspaces,
  type Workspace,
  type WorkspaceBounds,
  type Workspaces,
} from '@ambit/core/workspace';

const sha256 = (content: Uint8Array): string => hash('sha256', content);
const content = Buffer.from('one');

/** A workspace of `tester` with one file. */
const keptWorkspace: Workspace = {
  id: 'w1',
  owner: 'tester',
  label: null,
  quotaBytes: 100,
  expiresInMs: 60_000,
  createdAt: 0,
  usedAt: 0,
  links: [],
  folders: [],
  files: [{ path: 'a.txt', bytes: content.length, sha256: sha256(content), modified: 0 }],
};

/**
 * Workspaces in memory, including `keptWorkspace`; new ones have the ids `w2`, `w3` and so on. With
 * a `fault`, no change can be stored.
 */
export function memoryWorkspaces(bounds: Partial<WorkspaceBounds> = {}, fault?: Error): Workspaces {
  const contents = new Map([[sha256(content), content as Uint8Array]]);
  let [time, ids] = [1000, 1];
  return openWorkspaces(
    {
      storage: {
        load: async () => [],
        prepare: async (_id, added) => {
          for (const [digest, bytes] of added) contents.set(digest, await allBytesOf(bytes));
        },
        content: (_id, { sha256: digest, bytes }) => ({
          length: bytes,
          sha256: digest,
          async *parts(start, end) {
            yield (contents.get(digest) as Uint8Array).subarray(start, end);
          },
        }),
        bytesBesides: async () => 0,
        write: async () => {
          if (fault !== undefined) throw fault;
        },
        remove: async () => undefined,
      },
      bounds: {
        countMax: 2,
        quotaBytes: 100,
        quotaBytesMax: 1000,
        entriesMax: 4000,
        totalBytesMax: 10_000,
        expiresAfterMs: 60_000,
        expiresAfterMsMax: 120_000,
        ...bounds,
      },
      now: () => time++,
      sha256,
      newId: () => `w${++ids}`,
      beforeExpiry: async () => undefined,
    },
    [keptWorkspace],
  );
}
