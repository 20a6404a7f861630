import initWabt from 'wabt';

const wabt = await initWabt();

/** Compiles a module from the text format, with exceptions enabled. */
export function moduleOf(text: string): Uint8Array {
  const parsed = wabt.parseWat('test.wat', text, { exceptions: true });
  try {
    return parsed.toBinary({}).buffer;
  } finally {
    parsed.destroy();
  }
}

/** A data segment with a text at an address. */
export function dataAt(address: number, text: string | Uint8Array): string {
  const bytes = [...(typeof text === 'string' ? new TextEncoder().encode(text) : text)];
  return `(data (i32.const ${address}) "${bytes.map((byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('')}")`;
}
