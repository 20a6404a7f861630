import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { InstallError } from '../install-error.ts';
import type { Source, SourceEntry } from './source.ts';
import { targetBytesMax } from './source-bounds.ts';

const unixHost = 3;
const [typeMask, folderType, linkType, fileType] = [0o170_000, 0o040_000, 0o120_000, 0o100_000];
const [deflated, stored] = [8, 0];
const encryptedFlag = 1;

/** A zip archive. Only its central directory counts. */
export function zipSource(file: string): Source {
  return {
    async *entries() {
      const zip = await orDamaged(file, () => openPromise(file, { strictFileNames: true, autoClose: false }));
      try {
        const each = zip.eachEntry();
        for (;;) {
          const next = await orDamaged(file, () => each.next());
          if (next.done === true) return;
          yield await entryOf(zip, next.value, file);
        }
      } finally {
        zip.close();
      }
    },
  };
}

async function entryOf(zip: ZipFile, entry: Entry, file: string): Promise<SourceEntry> {
  const { fileName, uncompressedSize: bytes } = entry;
  const mode = entry.versionMadeBy >>> 8 === unixHost ? entry.externalFileAttributes >>> 16 : 0;
  const read = (): Promise<Uint8Array> =>
    orDamaged(file, async () => {
      requireReadable(entry, file);
      const pieces: Buffer[] = [];
      for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece as Buffer);
      return Buffer.concat(pieces);
    });
  const common = { path: fileName, bytes, isExecutable: (mode & 0o100) !== 0, read };
  const type = mode & typeMask;
  if (fileName.endsWith('/') || type === folderType) return { ...common, kind: 'folder' };
  if (type === linkType && bytes <= targetBytesMax)
    return { ...common, kind: 'symlink', target: Buffer.from(await read()).toString() };
  return { ...common, kind: type === 0 || type === fileType ? 'file' : 'special' };
}

function requireReadable({ fileName, generalPurposeBitFlag, compressionMethod }: Entry, file: string): void {
  const name = JSON.stringify(fileName.slice(0, 200));
  if ((generalPurposeBitFlag & encryptedFlag) !== 0)
    throw new InstallError(
      'SOURCE_UNSUPPORTED',
      `${name} in ${file} is encrypted; pack it without a password`,
    );
  if (compressionMethod !== deflated && compressionMethod !== stored)
    throw new InstallError(
      'SOURCE_UNSUPPORTED',
      `${name} in ${file} is compressed with method ${compressionMethod}, which Ambit does not read; use deflate, the default of zip`,
    );
}

/** Matches the beginning of the library's errors for names that lead out of the archive. */
const unsafeName = /^(?:absolute path|invalid relative path|invalid characters in fileName): /;

async function orDamaged<Result>(file: string, use: () => Promise<Result>): Promise<Result> {
  try {
    return await use();
  } catch (cause) {
    if (cause instanceof InstallError) throw cause;
    const { message, code } = cause as NodeJS.ErrnoException;
    if (unsafeName.test(message))
      throw new InstallError('SOURCE_UNSAFE_PATH', `${file} is refused: ${message.slice(0, 300)}`, { cause });
    if (typeof code === 'string' && code.startsWith('E'))
      throw new InstallError('SOURCE_MISSING', `cannot read ${file}: ${message}`, { cause });
    throw new InstallError('SOURCE_DAMAGED', `${file} is damaged: ${message.slice(0, 300)}`, { cause });
  }
}
