import type { FileChange, WorkspaceFile } from '@ambit/core/internal';
import type { TakeBounds } from '../../process/sandbox/workspace/take-files.ts';
import type { Frame } from './frames.ts';
import { FileFrame } from './host-protocol.ts';

/** What a call has left in its workspace, as its host hands it over. */
export interface LeftFiles {
  /** Throws for what no host of ours says: something inside may have got hold of it. */
  add(frame: Frame): void;
  /** In the order of their paths. */
  changes(): FileChange[];
}

/**
 * Gathers the changes to a workspace that began with `given`, within `bounds`: each path once, a plain one, changed or deleted
 * only if it was there.
 */
export function leftFiles(given: readonly WorkspaceFile[], bounds: TakeBounds): LeftFiles {
  const before = new Set(given.map(({ path }) => path));
  const changes = new Map<string, FileChange>();
  let [bytesLeft, pathBytesLeft] = [bounds.bytes, bounds.pathBytes];
  return {
    add({ header, body }) {
      const { path, change, size, isHere, omitted } = FileFrame.parse(header);
      bytesLeft -= body.length;
      // Of the last one the path may be beyond the bound; it says so.
      const isBeyond = bytesLeft < 0 || pathBytesLeft < 0 || changes.size > bounds.entries + before.size;
      pathBytesLeft -= Buffer.byteLength(path);
      const isOdd = !isBeneath(path) || (change === 'created') === before.has(path) || changes.has(path);
      if (isBeyond || isOdd) throw new Error(`a workspace that cannot be: ${change} ${path.slice(0, 200)}`);
      // A copy: the body is a part of something larger.
      const content = isHere ? Uint8Array.from(body) : null;
      const bytes = content?.length ?? size;
      changes.set(path, { path, change, bytes, content, ...(omitted === undefined ? {} : { omitted }) });
    },
    changes: () => [...changes.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

function isBeneath(path: string): boolean {
  return (
    !path.includes('\0') && path.split('/').every((name) => name !== '' && name !== '.' && name !== '..')
  );
}
