import { open } from 'node:fs/promises';
import { InstallError } from '../install-error.ts';
import type { Source } from './source.ts';
import { tarSource } from './tar-source.ts';
import { zipSource } from './zip-source.ts';

/** Opens a zip or tar archive, recognized by its content. Rejects with an `InstallError`. */
export async function openArchive(file: string): Promise<Source> {
  const head = await headOf(file);
  if (zipHeads.some((begins) => head.startsWith(begins))) return zipSource(file);
  if (head.startsWith('\x1f\x8b')) return tarSource(file, 'gzip');
  // The magic number of a header, after its name, numbers and link.
  if (head.slice(257, 262) === 'ustar') return tarSource(file, 'none');
  const known = otherFormats.find(({ begins }) => head.startsWith(begins));
  throw new InstallError(
    'SOURCE_UNSUPPORTED',
    known === undefined
      ? `${file} is not an archive that Ambit reads; use a .zip, .tar or .tar.gz file`
      : `${file} is ${known.name}, which Ambit does not read; pack it as .zip or .tar.gz`,
  );
}

/** The first bytes of a ZIP archive with entries, and of an empty one. */
const zipHeads = ['PK\x03\x04', 'PK\x05\x06'];

const otherFormats = [
  { begins: '\xfd7zXZ', name: 'compressed with xz' },
  { begins: 'BZh', name: 'compressed with bzip2' },
  { begins: '\x28\xb5\x2f\xfd', name: 'compressed with zstd' },
  { begins: '7z\xbc\xaf', name: 'a 7-Zip archive' },
  { begins: 'Rar!', name: 'a RAR archive' },
];

async function headOf(file: string): Promise<string> {
  try {
    const opened = await open(file);
    try {
      if (!(await opened.stat()).isFile()) throw new Error('it is not a regular file');
      const { buffer, bytesRead } = await opened.read(Buffer.alloc(512), 0, 512, 0);
      return buffer.toString('latin1', 0, bytesRead);
    } finally {
      await opened.close();
    }
  } catch (cause) {
    throw new InstallError('SOURCE_MISSING', `cannot read ${file}: ${(cause as Error).message}`, { cause });
  }
}
