/** The unit of a tar archive: a header, or a part of a file. */
export const tarBlock = 512;

/** An entry of a tar archive, without the bytes of a file. */
export type TarEntry =
  | { path: string; folder: true }
  | { path: string; link: string }
  | { path: string; bytes: number; executable?: boolean; modifiedMs?: number };

/**
 * The header of an entry (POSIX.1-2001): one with its path and its link, which may be long and are UTF-8, and a plain one. The
 * bytes of a file follow, and `tarPadding` of them. `modifiedMs` is since the epoch; absent: 0.
 */
export function tarHeader(entry: TarEntry): Uint8Array<ArrayBuffer> {
  const { path } = entry;
  const isFile = 'bytes' in entry;
  const link = 'link' in entry ? attribute('linkpath', entry.link) : '';
  const attributes = new TextEncoder().encode(attribute('path', path) + link);
  const long = plainHeader({ type: 'x', bytes: attributes.length });
  const plain = isFile
    ? plainHeader({ ...entry, type: '0' })
    : plainHeader({ type: 'folder' in entry ? '5' : '2', bytes: 0, executable: 'folder' in entry });
  const whole = new Uint8Array(2 * tarBlock + attributes.length + tarPadding(attributes.length));
  whole.set(long);
  whole.set(attributes, tarBlock);
  whole.set(plain, whole.length - tarBlock);
  return whole;
}

/** Returns the number of zero bytes that follow a file of this size. */
export function tarPadding(bytes: number): number {
  return (tarBlock - (bytes % tarBlock)) % tarBlock;
}

/** The number of zero bytes that end an archive. */
export const tarEndBytes = 2 * tarBlock;

/** The checksum of a header, with blanks in place of the checksum itself. */
export function tarSum(header: Uint8Array): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);
}

/** `length key=value`, where the length counts itself. */
function attribute(key: string, value: string): string {
  const sizeOf = (text: string): number => new TextEncoder().encode(text).length;
  const rest = ` ${key}=${value}\n`;
  let length = sizeOf(rest);
  while (length !== sizeOf(`${length}${rest}`)) length = sizeOf(`${length}${rest}`);
  return `${length}${rest}`;
}

/** More bytes do not fit into an octal field. */
const octalBytesMax = 8 ** 11;

function plainHeader({
  type,
  bytes,
  executable = false,
  modifiedMs = 0,
}: {
  type: string;
  bytes: number;
  executable?: boolean;
  modifiedMs?: number;
}): Uint8Array {
  const bare = new Uint8Array(tarBlock);
  const write = (text: string, at: number): void => bare.set(new TextEncoder().encode(text), at);
  write('entry', 0);
  write(executable ? '0000755\0' : '0000644\0', 100);
  write('0000000\0'.repeat(2), 108);
  if (bytes < octalBytesMax) write(`${octal(bytes, 11)}\0`, 124);
  else {
    bare[124] = 0x80;
    new DataView(bare.buffer).setBigUint64(128, BigInt(bytes));
  }
  write(`${octal(Math.max(0, Math.floor(modifiedMs / 1000)), 11)}\0`, 136);
  write(type, 156);
  write('ustar\x0000', 257);
  write(`${octal(tarSum(bare), 6)}\0 `, 148);
  return bare;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}
