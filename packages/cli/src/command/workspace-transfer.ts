import type { AmbitClient, WorkspaceSummary } from '@ambit/client';
import { type ArchiveEntry, tarOf } from '@ambit/server/wire';

type Workspaces = AmbitClient['workspaces'];

/** Adds files and folders to a workspace in one step. */
export async function sendEntries(
  workspaces: Pick<Workspaces, 'putAll'>,
  id: string,
  entries: readonly ArchiveEntry[],
  signal?: AbortSignal,
): Promise<WorkspaceSummary> {
  let failure: unknown;
  async function* parts(): AsyncGenerator<Uint8Array> {
    try {
      yield* tarOf(entries);
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  return workspaces.putAll(id, ReadableStream.from(parts()), { signal }).catch((error: unknown) => {
    // A request fails with another error than the file that could not be read.
    throw failure ?? error;
  });
}

/** The size of the parts in which a file is read: each has the time limit of a request. */
const readBytes = 8 * 1024 * 1024;

/** A file of a workspace in parts. `bytes` is its size, if it is known: the file is then never in memory as a whole. */
export async function* fileParts(
  workspaces: Pick<Workspaces, 'read'>,
  id: string,
  path: string,
  { bytes = 0, signal }: { bytes?: number | undefined; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<Uint8Array> {
  if (bytes <= readBytes) return yield await workspaces.read(id, path, { signal });
  for (let start = 0; start < bytes; start += readBytes) {
    const range = { start, end: Math.min(start + readBytes, bytes) };
    yield await workspaces.read(id, path, { signal, range });
  }
}
