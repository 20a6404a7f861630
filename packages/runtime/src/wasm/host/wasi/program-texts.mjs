/** @import { GuestMemory } from './guest-memory.mjs' */
import { errno } from './errno.mjs';

/**
 * A program's arguments and environment. WASI passes both as lists of NUL-terminated strings: first
 * their number and total length, then their addresses and content.
 *
 * @param {GuestMemory} memory
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} env
 */
export function programTexts(memory, args, env) {
  const [argsSizes, argsGet] = textList(memory, args);
  const [environSizes, environGet] = textList(
    memory,
    Object.entries(env).map(([name, value]) => `${name}=${value}`),
  );
  return {
    args_sizes_get: argsSizes,
    args_get: argsGet,
    environ_sizes_get: environSizes,
    environ_get: environGet,
  };
}

/**
 * @param {GuestMemory} memory
 * @param {readonly string[]} texts
 * @returns {[sizes: (first: number, second: number) => number, get: (first: number, second: number) => number]}
 */
function textList(memory, texts) {
  // A NUL inside a string would split it.
  const encoded = texts.map((text) => new TextEncoder().encode(`${text.replaceAll('\0', '')}\0`));
  const length = encoded.reduce((total, bytes) => total + bytes.length, 0);
  return [
    (countAt, lengthAt) => {
      memory.setU32(countAt, encoded.length);
      memory.setU32(lengthAt, length);
      return errno.success;
    },
    (addressesAt, textsAt) => {
      let at = textsAt >>> 0;
      const target = memory.bytes(at, length);
      const addresses = memory.view(addressesAt, 4 * encoded.length);
      for (const [index, bytes] of encoded.entries()) {
        addresses.setUint32(4 * index, at, true);
        target.set(bytes, at - (textsAt >>> 0));
        at += bytes.length;
      }
      return errno.success;
    },
  ];
}
