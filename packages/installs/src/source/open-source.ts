import { createHash } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProxyError, ProxyRefusal, type ProxyResponse } from '@ambit/runtime';
import { InstallError } from '../install-error.ts';
import { folderSource } from './folder-source.ts';
import { type GitOptions, gitSource } from './git-source.ts';
import { networkOf, notAllowed } from './install-network.ts';
import { openArchive } from './open-archive.ts';
import type { ParsedSource } from './parse-source.ts';
import type { Source } from './source.ts';

/** A source that can be read until it is closed. */
export interface OpenedSource extends Source {
  /** What exactly is read: a commit of a repository, or the SHA-256 of an archive; `null` for a folder. */
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

const redirectsMax = 5;

async function download(first: string, options: Omit<GitOptions, 'folder'>): Promise<Uint8Array> {
  const proxy = await networkOf(options);
  try {
    let url = first;
    for (let redirects = 0; redirects <= redirectsMax; redirects++) {
      const response = await proxy.request({
        method: 'GET',
        url,
        headers: { accept: '*/*' },
        body: new Uint8Array(),
      });
      const next = redirectOf(response, url);
      if (next === undefined) {
        if (response.status === 200) return response.body;
        throw new InstallError('SOURCE_UNREACHABLE', `${url} was answered with status ${response.status}`);
      }
      if (url.startsWith('https:') && !next.startsWith('https:'))
        throw new InstallError('SOURCE_UNREACHABLE', `${url} redirects to ${next}, which is not encrypted`);
      url = next;
    }
    throw new InstallError('SOURCE_UNREACHABLE', `${first} redirects more than ${redirectsMax} times`);
  } catch (cause) {
    if (cause instanceof ProxyRefusal) throw notAllowed(cause.denial);
    if (cause instanceof ProxyError)
      throw new InstallError('SOURCE_UNREACHABLE', `cannot fetch ${first}: ${cause.message}`, { cause });
    throw cause;
  } finally {
    proxy.close();
  }
}

function redirectOf({ status, headers }: ProxyResponse, url: string): string | undefined {
  const location = headers['location'];
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined || !URL.canParse(location, url))
    return undefined;
  const next = new URL(location, url);
  next.hash = '';
  return next.href;
}
