/** A number as the bytes that both machines have in memory, the lowest first. */
export function u16(value: number): number[] {
  return bytesOf(value, 2);
}

/** The same, in four bytes. */
export function u32(value: number): number[] {
  return bytesOf(value, 4);
}

/** The same, in eight bytes. */
export function u64(value: number): number[] {
  return bytesOf(value, 8);
}

function bytesOf(value: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => Math.floor(value / 256 ** index) % 256);
}
