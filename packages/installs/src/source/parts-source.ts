import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InstallError } from '../install-error.ts';
import { openArchive } from './open-archive.ts';
import { safePath } from './safe-path.ts';
import type { Source, SourceEntry } from './source.ts';

/** A part of a source that was fetched by itself: the files of an archive, or one file. */
export interface SourcePart {
  /** The folder, or the path of the file, in the source. Not checked yet. */
  path: string;
  source: Source;
}

/** Joins parts to one source. */
export function partsSource(parts: readonly SourcePart[]): Source {
  return {
    async *entries(wanted) {
      let place = 0;
      for (const { path, source } of parts) {
        const start = place;
        for await (const entry of source.entries(wanted && ((at) => wanted(start + at)))) {
          place += 1;
          yield { ...entry, path: joined(path, entry.path) };
        }
      }
    },
  };
}

/** A path in an archive that leads out of it must not lead to another part. */
function joined(folder: string, path: string): string {
  return [folder, safePath(path)].filter((part) => part !== '').join('/');
}

/** The places of fetched parts in an empty folder. Nothing is named as a server says. */
export interface PartStore {
  /** An archive whose files belong into a folder of the source. */
  archive(folder: string, bytes: Uint8Array): Promise<SourcePart>;
  file(path: string, bytes: Uint8Array): Promise<SourcePart>;
}

/** Stores fetched parts in an empty folder, which the caller removes. */
export function partStore(folder: string): PartStore {
  let stored = 0;
  const store = async (bytes: Uint8Array): Promise<string> => {
    const at = join(folder, `part-${stored++}`);
    await writeFile(at, bytes, { mode: 0o600 });
    return at;
  };
  return {
    archive: async (path, bytes) => ({ path, source: await openArchive(await store(bytes)) }),
    file: async (path, bytes) => ({ path, source: fileSource(await store(bytes), bytes.length) }),
  };
}

/** One file. Its part has the path. */
function fileSource(at: string, bytes: number): Source {
  const entry: SourceEntry = {
    path: '',
    kind: 'file',
    bytes,
    isExecutable: false,
    read: () => readFile(at),
  };
  return {
    async *entries() {
      yield entry;
    },
  };
}

/** The SHA-256 of bytes, hex. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Throws `SOURCE_DAMAGED` unless bytes have a digest, `sha256:` and 64 hexadecimal digits. */
export function requireDigest(what: string, bytes: Uint8Array, digest: string): void {
  const found = `sha256:${sha256(bytes)}`;
  if (found !== digest)
    throw new InstallError(
      'SOURCE_DAMAGED',
      `${what} has the digest ${found} instead of ${digest}; it was not used`,
    );
}
