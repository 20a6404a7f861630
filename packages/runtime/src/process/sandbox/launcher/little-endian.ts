/** A number as two bytes, lowest first, as on both architectures. */
export function u16(value: number): number[] {
  return bytesOf(value, 2);
}

/** A number as four bytes. */
export function u32(value: number): number[] {
  return bytesOf(value, 4);
}

/** A number as eight bytes. */
export function u64(value: number): number[] {
  return bytesOf(value, 8);
}

function bytesOf(value: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => Math.floor(value / 256 ** index) % 256);
}
