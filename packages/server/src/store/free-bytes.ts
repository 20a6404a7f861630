/**
 * Frees the memory of large arrays of bytes in a value, which nothing may use any more. Each thread would wait for some 64 MiB of
 * them before it collects garbage.
 */
export function freeBytes(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (!(value instanceof Uint8Array)) {
    for (const inner of Object.values(value)) freeBytes(inner);
    return;
  }
  const { buffer, length } = value;
  // Smaller ones share their memory with others.
  if (length >= freedBytesMin && length === buffer.byteLength && buffer instanceof ArrayBuffer)
    buffer.transfer(0);
}

const freedBytesMin = 64 * 1024;
