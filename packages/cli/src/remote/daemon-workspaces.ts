import { type AmbitClientOptions, ambitClient } from '@ambit/client';
import type { WorkspaceClient } from '../ports/actions.ts';
import { withLocalErrors } from './local-error.ts';

/** The size of the parts in which a file is read: each has the time limit of a request. */
const readBytes = 8 * 1024 * 1024;

/** Manages a daemon's workspaces. */
export function daemonWorkspaces(daemon: AmbitClientOptions): WorkspaceClient {
  const { workspaces } = ambitClient(daemon);
  const translated = withLocalErrors(daemon.url);
  return {
    create: (options) => translated(workspaces.create(options)),
    list: () => translated(workspaces.list()),
    show: (id) => translated(workspaces.get(id)),
    put: (id, path, content) => translated(workspaces.put(id, path, content)),
    async putAll(id, archive) {
      const { parts, failure } = watched(archive);
      const sending = translated(workspaces.putAll(id, ReadableStream.from(parts)));
      return sending.catch((error: unknown) => {
        throw failure() ?? error;
      });
    },
    async *get(id, path, bytes = 0) {
      if (bytes <= readBytes) return yield await translated(workspaces.read(id, path));
      for (let start = 0; start < bytes; start += readBytes) {
        const range = { start, end: Math.min(start + readBytes, bytes) };
        yield await translated(workspaces.read(id, path, { range }));
      }
    },
    remove: (id, path) =>
      translated(path === undefined ? workspaces.remove(id) : workspaces.removeFile(id, path)),
  };
}

/** The same parts, and the error that reading them ended with: a request that sends them fails with another. */
function watched(archive: AsyncIterable<Uint8Array>): {
  parts: AsyncIterable<Uint8Array>;
  failure(): unknown;
} {
  let failed: unknown;
  async function* parts(): AsyncGenerator<Uint8Array> {
    try {
      yield* archive;
    } catch (error) {
      failed = error;
      throw error;
    }
  }
  return { parts: parts(), failure: () => failed };
}
