import { type FileChange, staysInside, type WorkspaceEntry } from '@ambit/core/workspace';
import { leadsOut, type TakeBounds } from '../../process/sandbox/workspace/take-files.ts';
import type { Frame } from './frames.ts';
import { FileFrame } from './host-protocol.ts';

/** The workspace changes of a call, received from its host. */
export interface LeftFiles {
  /** Throws for an invalid frame, because a skill may have taken over the host. */
  add(frame: Frame): void;
  /** Sorted by path. */
  changes(): FileChange[];
}

/**
 * Collects the changes to a workspace that began with `given`, within `bounds`. Each path must be
 * normalized and appear once, and only existing files can be changed or deleted.
 */
export function leftFiles(given: readonly WorkspaceEntry[], bounds: TakeBounds): LeftFiles {
  const before = new Map(given.map((entry) => [entry.path, entry]));
  const changes = new Map<string, FileChange>();
  let [bytesLeft, pathBytesLeft] = [bounds.bytes, bounds.pathBytes];
  return {
    add({ header, body }) {
      const { path, change, size, isHere, link, folder, omitted } = FileFrame.parse(header);
      bytesLeft -= body.length;
      // The path of the last file may exceed the limit, which the file reports.
      const isBeyond = bytesLeft < 0 || pathBytesLeft < 0 || changes.size > bounds.entries + before.size;
      pathBytesLeft -= Buffer.byteLength(path);
      const isOdd = !isBeneath(path) || (change === 'created') === before.has(path) || changes.has(path);
      if (isBeyond || isOdd) throw new Error(`invalid workspace change: ${change} ${path.slice(0, 200)}`);
      // A copy: the body is a view of a larger buffer.
      const content = isHere ? Uint8Array.from(body) : null;
      const bytes = content?.length ?? size;
      const left: FileChange = { path, change, bytes, content };
      const was = before.get(path);
      // A module cannot change the mode of a file.
      if (content !== null && was !== undefined && 'content' in was && was.executable) left.executable = true;
      if (folder) left.folder = true;
      if (omitted !== undefined) left.omitted = omitted;
      if (link !== undefined && staysInside({ path, link })) left.link = link;
      else if (link !== undefined) Object.assign(left, leadsOut);
      changes.set(path, left);
    },
    changes: () => [...changes.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

function isBeneath(path: string): boolean {
  return (
    !path.includes('\0') && path.split('/').every((name) => name !== '' && name !== '.' && name !== '..')
  );
}
