import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { packTar, type TarHeader } from 'modern-tar';

/** An entry of a handmade archive. What is absent has the usual value. */
export interface ArchiveEntry {
  path: string;
  content?: string | Uint8Array;
  /** The target of a link. */
  target?: string;
  type?: TarHeader['type'];
  /** Unix type and permissions. */
  mode?: number;
  /** The size that the archive declares. */
  declared?: number;
  /** The bit flags of a ZIP entry, and its compression method. */
  flags?: number;
  method?: number;
}

/** A zip archive with exactly these names and numbers, however wrong. */
export function zipOf(entries: readonly ArchiveEntry[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.path);
    const content = Buffer.from(entry.target ?? entry.content ?? '');
    const packed = entry.method === undefined ? deflateRawSync(content) : content;
    const [flags, method] = [entry.flags ?? 0x800, entry.method ?? 8];
    const size = entry.declared ?? content.length;
    const type = entry.target === undefined ? 0o100_000 : 0o120_000;
    const mode = entry.mode ?? type | 0o644;
    const common = Buffer.alloc(26);
    for (const [at, value] of [
      [0, 20],
      [2, flags],
      [4, method],
      [22, name.length],
    ] as const)
      common.writeUInt16LE(value, at);
    for (const [at, value] of [
      [10, crc32(content)],
      [14, packed.length],
      [18, size],
    ] as const)
      common.writeUInt32LE(value, at);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, packed]);
    const head = Buffer.alloc(46);
    head.write('PK\x01\x02');
    head.writeUInt16LE((3 << 8) | 20, 4);
    common.copy(head, 6);
    head.writeUInt32LE((mode << 16) >>> 0, 38);
    head.writeUInt32LE(offset, 42);
    central.push(head, name);
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  for (const at of [8, 10]) end.writeUInt16LE(entries.length, at);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

/** A tar archive with these entries. */
export async function tarOf(entries: readonly ArchiveEntry[]): Promise<Buffer> {
  const packed = await packTar(
    entries.map(({ path, content = '', target, type, mode }) => {
      const body = Buffer.from(target === undefined ? content : '');
      const kind = type ?? (target === undefined ? 'file' : 'symlink');
      const header: TarHeader = { name: path, size: body.length, type: kind, mtime: new Date(0) };
      if (target !== undefined) header.linkname = target;
      if (mode !== undefined) header.mode = mode;
      return body.length === 0 ? { header } : { header, body };
    }),
  );
  return Buffer.from(packed);
}

/** The same, compressed. */
export async function tarGzOf(entries: readonly ArchiveEntry[]): Promise<Buffer> {
  return gzipSync(await tarOf(entries));
}
