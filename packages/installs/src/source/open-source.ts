import { createHash } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { followRedirects, ProxyError, ProxyRefusal, RedirectError } from '@ambit/runtime';
import { InstallError } from '../install-error.ts';
import { folderSource } from './folder-source.ts';
import { type GitOptions, gitSource } from './git-source.ts';
import { networkOf, notAllowed } from './install-network.ts';
import { openArchive } from './open-archive.ts';
import type { ParsedSource } from './parse-source.ts';
import type { Source } from './source.ts';

/** A source that can be read until it is closed. */
export interface OpenedSource extends Source {
  /** What exactly is read: a commit of a repository, or the SHA-256 of a fetched archive; `null` for a path of this machine. */
  resolved: { commit: string } | { sha256: string } | null;
  /** Removes what was fetched. */
  close(): Promise<void>;
}

/** Fetches a source if it is elsewhere. Rejects with an `InstallError`, and with `SANDBOX_UNAVAILABLE` for a repository. */
export async function openSource(
  { kind, place, ref }: ParsedSource,
  options: Omit<GitOptions, 'folder'>,
): Promise<OpenedSource> {
  if (kind === 'path') return openPath(place);
  const folder = await mkdtemp(join(tmpdir(), 'ambit-source-'));
  const close = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    if (kind === 'git') {
      const source = await gitSource({ url: place, ref }, { ...options, folder });
      return { entries: source.entries, resolved: { commit: source.commit }, close };
    }
    const file = join(folder, 'archive');
    const bytes = await download(place, options);
    await writeFile(file, bytes, { mode: 0o600 });
    const source = await openArchive(file);
    return {
      entries: source.entries,
      resolved: { sha256: createHash('sha256').update(bytes).digest('hex') },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openPath(path: string): Promise<OpenedSource> {
  const close = async (): Promise<void> => undefined;
  const stats = await stat(path).catch((cause: Error) => {
    throw new InstallError('SOURCE_MISSING', `cannot read ${path}: ${cause.message}`, { cause });
  });
  if (stats.isDirectory()) return { ...folderSource(path), resolved: null, close };
  return { ...(await openArchive(path)), resolved: null, close };
}

async function download(url: string, options: Omit<GitOptions, 'folder'>): Promise<Uint8Array> {
  const { signal } = options;
  const proxy = await networkOf(options);
  signal.addEventListener('abort', proxy.close, { once: true });
  try {
    signal.throwIfAborted();
    const { status, body } = await followRedirects(proxy, new URL(url));
    if (status === 200) return body;
    throw new InstallError('SOURCE_UNREACHABLE', `${url} was answered with status ${status}`);
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof ProxyRefusal) throw notAllowed(cause.denial);
    if (cause instanceof RedirectError)
      throw new InstallError('SOURCE_UNREACHABLE', `${url} ${cause.message}`, { cause });
    if (cause instanceof ProxyError)
      throw new InstallError('SOURCE_UNREACHABLE', `cannot fetch ${url}: ${cause.message}`, { cause });
    throw cause;
  } finally {
    signal.removeEventListener('abort', proxy.close);
    proxy.close();
  }
}
