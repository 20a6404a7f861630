import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InstallError } from '../install-error.ts';
import { folderSource } from './folder-source.ts';
import { type GitOptions, gitSource } from './git-source.ts';
import { ociSource } from './oci/oci-source.ts';
import { openArchive } from './open-archive.ts';
import type { ParsedSource } from './parse-source.ts';
import { partStore, sha256 } from './parts-source.ts';
import type { RefusedSkill, Source } from './source.ts';
import { withSourceHttp } from './source-http.ts';
import { wellKnownSource } from './well-known-source.ts';

/** A source that can be read until it is closed. */
export interface OpenedSource extends Source {
  /**
   * The version that is read: a commit of a repository, or the SHA-256 of a fetched archive or of the list that a server has;
   * `null` for a path of this machine.
   */
  resolved: { commit: string } | { sha256: string } | null;
  /** Only skills in this folder are wanted; `undefined`: all. */
  folder: string | undefined;
  /** Skills that the source lists and that cannot be read. */
  leftOut: readonly RefusedSkill[];
  /** Removes what was fetched. */
  close(): Promise<void>;
}

type OpenOptions = Omit<GitOptions, 'folder'>;

/** Fetches a source if it is elsewhere. Rejects with an `InstallError`, and with `SANDBOX_UNAVAILABLE` for a repository. */
export async function openSource(parsed: ParsedSource, options: OpenOptions): Promise<OpenedSource> {
  if (parsed.kind === 'path') return openPath(parsed);
  const folder = await mkdtemp(join(tmpdir(), 'ambit-source-'));
  const close = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    return { folder: parsed.folder, ...(await fetched(parsed, options, folder)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Fetched = Omit<OpenedSource, 'close' | 'folder'> & Partial<Pick<OpenedSource, 'folder'>>;

async function fetched(parsed: ParsedSource, options: OpenOptions, folder: string): Promise<Fetched> {
  const { kind, place } = parsed;
  switch (kind) {
    case 'git': {
      const git = await gitSource({ ...parsed, url: place }, { ...options, folder });
      return { entries: git.entries, folder: git.folder, resolved: { commit: git.commit }, leftOut: [] };
    }
    case 'well-known': {
      const served = await withSourceHttp(options, (http) =>
        wellKnownSource(parsed, http, partStore(folder)),
      );
      return { ...served, resolved: { sha256: served.sha256 } };
    }
    case 'oci': {
      const served = await withSourceHttp(options, (http) => ociSource(parsed, http, partStore(folder)));
      return { ...served, resolved: { sha256: served.sha256 } };
    }
    case 'mcp': {
      const { mcpSource } = await import('./mcp/mcp-source.ts');
      const served = await withSourceHttp(options, (http) => mcpSource(parsed, http, partStore(folder)));
      return { ...served, resolved: { sha256: served.sha256 } };
    }
    default: {
      const bytes = await withSourceHttp(options, (http) => http.fetch(place));
      const file = join(folder, 'archive');
      await writeFile(file, bytes, { mode: 0o600 });
      const { entries } = await openArchive(file);
      return { entries, resolved: { sha256: sha256(bytes) }, leftOut: [] };
    }
  }
}

async function openPath({ place: path, folder }: ParsedSource): Promise<OpenedSource> {
  const close = async (): Promise<void> => undefined;
  const stats = await stat(path).catch((cause: Error) => {
    throw new InstallError('SOURCE_MISSING', `cannot read ${path}: ${cause.message}`, { cause });
  });
  const source = stats.isDirectory() ? folderSource(path) : await openArchive(path);
  return { ...source, folder, resolved: null, leftOut: [], close };
}
