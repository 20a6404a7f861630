import { createHash } from 'node:crypto';
import { SkillError } from '@ambit/core';
import {
  allBytesOf,
  type FileContent,
  partsOf,
  tarBlock,
  tarEndBytes,
  tarHeader,
  tarPadding,
  tarSum,
  type WorkspaceEntry,
} from '@ambit/core/workspace';

/** The attributes of one file in an archive: paths and sizes. */
const attributesBytesMax = 64 * 1024;
const entriesMax = 200_000;

/** An entry for an archive, with the bytes of a file in parts. */
export type ArchiveEntry =
  | Exclude<WorkspaceEntry, { content: unknown }>
  | { path: string; bytes: number; executable: boolean; parts(): AsyncIterable<Uint8Array> };

/** The entries as a tar archive (POSIX.1-2001), in parts. Throws if a file has changed its size. */
export async function* tarOf(entries: readonly ArchiveEntry[]): AsyncGenerator<Uint8Array> {
  for (const entry of entries) {
    yield tarHeader(entry);
    if ('parts' in entry) {
      const { path, bytes, parts } = entry;
      let left = bytes;
      for await (const part of parts()) {
        left -= part.length;
        yield part;
      }
      if (left !== 0) throw new Error(`${path} changed while it was read`);
      yield Buffer.alloc(tarPadding(bytes));
    }
  }
  yield Buffer.alloc(tarEndBytes);
}

/**
 * The files, links and folders of a tar archive, of which the last with a path counts. The contents are read from the archive
 * when they are needed. Throws `INPUT_INVALID` for an archive that is cut or has anything else in it.
 */
export async function entriesOfTar(archive: Uint8Array | FileContent): Promise<WorkspaceEntry[]> {
  const entries = new Map<string, WorkspaceEntry>();
  let named: Partial<Record<string, string>> = {};
  for (let at = 0; at + tarBlock <= archive.length; ) {
    const bare = await range(archive, at, at + tarBlock);
    if (bare.every((byte) => byte === 0)) break;
    if (numberIn(bare, 148, 8) !== tarSum(bare)) throw invalid(`it has no header at byte ${at}`);
    const type = String.fromCharCode(bare[156] ?? 0);
    const bytes = Number(named['size'] ?? numberIn(bare, 124, 12));
    const start = at + tarBlock;
    at = start + bytes + tarPadding(bytes);
    if (!Number.isSafeInteger(bytes) || bytes < 0 || start + bytes > archive.length)
      throw invalid('it is cut: send all of it');
    if (type === 'g') continue;
    if (type === 'x' || type === 'L' || type === 'K') {
      if (bytes > attributesBytesMax) throw invalid('it has attributes of more than 64 KiB');
      const text = Buffer.from(await range(archive, start, start + bytes));
      if (type === 'x') named = { ...named, ...attributesIn(text) };
      else named[type === 'L' ? 'path' : 'linkpath'] = untilNul(text);
      continue;
    }
    const path = (named['path'] ?? nameIn(bare)).replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '');
    const link = named['linkpath'] ?? textIn(bare, 157, 100);
    named = {};
    if (path === '' || path === '.') continue;
    if (type === '5') entries.set(path, { path, folder: true });
    else if (type === '2') entries.set(path, { path, link });
    else if (type === '0' || type === '\0')
      entries.set(path, await fileAt(path, bare, archive, start, bytes));
    else
      throw invalid(
        `${JSON.stringify(path.slice(0, 200))} is ${kinds[type] ?? 'of an unknown kind'}; leave it out`,
      );
    // More than any setting allows.
    if (entries.size > entriesMax) throw invalid(`it has more than ${entriesMax} entries`);
  }
  return [...entries.values()];
}

const kinds: Readonly<Record<string, string>> = {
  1: 'a hard link',
  3: 'a device',
  4: 'a device',
  6: 'a FIFO',
};

async function fileAt(
  path: string,
  bare: Uint8Array,
  archive: Uint8Array | FileContent,
  start: number,
  length: number,
): Promise<WorkspaceEntry> {
  const digest = createHash('sha256');
  for await (const part of partsOf(archive, start, start + length)) digest.update(part);
  const content: FileContent = {
    length,
    sha256: digest.digest('hex'),
    parts: (from = 0, to = length) => partsOf(archive, start + from, start + Math.min(to, length)),
  };
  return (numberIn(bare, 100, 8) & 0o100) === 0 ? { path, content } : { path, content, executable: true };
}

async function range(archive: Uint8Array | FileContent, start: number, end: number): Promise<Uint8Array> {
  if (archive instanceof Uint8Array) return archive.subarray(start, end);
  return allBytesOf({ length: end - start, sha256: '', parts: () => archive.parts(start, end) });
}

/** Attributes as `length key=value` lines. */
function attributesIn(text: Buffer): Record<string, string> {
  const found: Record<string, string> = {};
  for (let at = 0; at < text.length; ) {
    const length = Number.parseInt(text.toString('latin1', at, at + 10), 10);
    const line = text.toString('utf8', at, at + length - 1);
    if (!(length > 0) || text[at + length - 1] !== 0x0a) throw invalid('its attributes are malformed');
    const [, key = '', value = ''] = /^\d+ ([^=]+)=(.*)$/s.exec(line) ?? [];
    found[key] = value;
    at += length;
  }
  return found;
}

function nameIn(bare: Uint8Array): string {
  const prefix = textIn(bare, 257, 5) === 'ustar' ? textIn(bare, 345, 155) : '';
  const name = textIn(bare, 0, 100);
  return prefix === '' ? name : `${prefix}/${name}`;
}

function textIn(bare: Uint8Array, at: number, length: number): string {
  return untilNul(Buffer.from(bare.subarray(at, at + length)));
}

function untilNul(text: Buffer): string {
  const [start = ''] = text.toString().split('\0');
  return start;
}

/** An octal number, or a binary one with its first bit set. */
function numberIn(bare: Uint8Array, at: number, length: number): number {
  const field = Buffer.from(bare.subarray(at, at + length));
  if (((field[0] ?? 0) & 0x80) === 0) return Number.parseInt(field.toString('latin1').trim() || '0', 8);
  return Number(field.readBigUInt64BE(length - 8));
}

function invalid(problem: string): SkillError {
  return new SkillError('INPUT_INVALID', `the archive cannot be read: ${problem}`);
}
