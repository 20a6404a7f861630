import { SkillError } from '@ambit/core';
import type { OwnWorkspaces } from '@ambit/core/workspace';
import type { RunWorkspaces } from '../cli/ports/actions.ts';
import { spool } from '../store/spool.ts';
import { workspaceAnswer, workspaceSummary } from '../wire/answer/workspace.ts';
import { entriesOfTar } from '../wire/tar.ts';

/** The bytes that an archive may have besides the contents: headers and padding. */
const archiveBytesMax = 256 * 1024 * 1024;

/** Workspaces for the calls of this process. Archives arrive in `folder`. `signal` ends what waits for a workspace. */
export function programWorkspaces(
  own: OwnWorkspaces,
  folder: string,
  signal: AbortSignal = new AbortController().signal,
): RunWorkspaces {
  return {
    async create({ expiresInSeconds, ...options }) {
      const expiresInMs = expiresInSeconds === undefined ? undefined : expiresInSeconds * 1000;
      return workspaceAnswer(await own.create({ ...options, expiresInMs }));
    },
    async putAll(id, archive) {
      const { quotaBytes } = await own.get(id);
      const tooLarge = () =>
        new SkillError(
          'WORKSPACE_FULL',
          `the files are larger than ${quotaBytes} bytes, the quota of the workspace. Create a workspace with a larger quota`,
        );
      const { content, close } = await spool(until(archive, signal), {
        folder,
        bytesMax: quotaBytes + archiveBytesMax,
        tooLarge,
      });
      try {
        return workspaceSummary(await own.putAll(id, await entriesOfTar(content), signal));
      } finally {
        await close();
      }
    },
    async *get(id, path) {
      const { content } = await own.read(id, path);
      yield* content.parts();
    },
    remove: (id, path) =>
      path === undefined ? own.remove(id, signal) : own.drop(id, path, () => undefined, signal),
  };
}

async function* until(parts: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const part of parts) {
    signal.throwIfAborted();
    yield part;
  }
}
