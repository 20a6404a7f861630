/**
 * Returns why these bytes are not a core WebAssembly module with at most one memory; `undefined` if
 * their outline shows none of these problems. The engine validates the rest. One memory, because
 * the engine limits each memory separately.
 *
 * The outline is defined in section 5.5 of the core specification: magic, version, then sections of
 * `id size content`.
 */
export function whyNotCoreModule(bytes: Uint8Array): string | undefined {
  if (!startsWith(bytes, magic)) return `is ${describeOther(bytes)}; ${whatRuns}`;
  if (startsWith(bytes.subarray(magic.length), componentVersion)) {
    return 'is a WebAssembly component; build it as a core module (an Extism plug-in or a WASI command)';
  }
  if (!startsWith(bytes.subarray(magic.length), version)) return 'has a WebAssembly version other than 1';
  return memoriesOf(bytes) > 1 ? 'has more than one memory' : undefined;
}

const whatRuns =
  'a script’s name ends in .js, .mjs or .py, and a module is compiled WebAssembly (an Extism plug-in or a WASI command)';
const magic = [0x00, 0x61, 0x73, 0x6d];
const version = [0x01, 0x00, 0x00, 0x00];
/** Layer 1 in the upper half; the lower half is the component model's own version. */
const componentVersion = [0x0d, 0x00, 0x01, 0x00];
const memorySection = 5;

function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}

function describeOther(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes.subarray(0, 256)).trimStart();
  if (text === '') return 'empty';
  if (text.startsWith('{')) return 'JSON, and a plug-in cannot have its own manifest';
  // Source text contains no control characters or undecodable bytes.
  return /[^\t\n\r\u0020-\ufffc]/.test(text) ? 'not WebAssembly' : 'text';
}

/**
 * The number of memories that the module defines; 0 for a broken outline, which the engine will
 * refuse.
 */
function memoriesOf(bytes: Uint8Array): number {
  let offset = magic.length + version.length;
  while (offset < bytes.length) {
    const size = unsigned(bytes, offset + 1);
    if (bytes[offset] === memorySection) return unsigned(bytes, size.next).value;
    offset = size.next + size.value;
  }
  return 0;
}

/** An unsigned LEB128 of at most 32 bits, and where it ends. */
function unsigned(bytes: Uint8Array, start: number): { value: number; next: number } {
  let value = 0;
  for (let index = 0; index < 5; index++) {
    const byte = bytes[start + index] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, next: start + index + 1 };
  }
  return { value, next: start + 5 };
}
