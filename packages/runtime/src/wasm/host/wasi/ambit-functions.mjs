/** @import { GuestMemory } from './guest-memory.mjs' */
import { CapabilityViolated } from '../capability-violated.mjs';
import { thrownText } from '../thrown-text.mjs';

/** The module that a program imports Ambit's host functions from. */
export const ambitNamespace = 'ambit';

/** The functions in it. */
export const ambitFunctionNames = Object.freeze(['invoke', 'answer']);

const messageBytesMax = 4096;

/**
 * Ambit's host functions for a module that can only share memory.
 *
 * `invoke(namePtr, nameLen, argsPtr, argsLen) -> i32` calls the function of that name with a JSON
 * array of arguments. It returns the length of the JSON answer, or -1 minus the length of an error
 * message. `answer(ptr)` copies that answer or message to an address; it is valid until the next
 * `invoke`.
 *
 * They throw `CapabilityViolated` for a request that is not granted, and `AddressFault` for an
 * address outside memory.
 *
 * @param {GuestMemory} memory
 * @param {(name: string, args: unknown[]) => unknown} invoke
 */
export function ambitFunctions(memory, invoke) {
  let answer = new Uint8Array();
  return {
    invoke: (
      /** @type {number} */ nameAt,
      /** @type {number} */ nameBytes,
      /** @type {number} */ argsAt,
      /** @type {number} */ argsBytes,
    ) => {
      const name = textIn(memory.bytes(nameAt, nameBytes));
      const args = textIn(memory.bytes(argsAt, argsBytes));
      try {
        answer = new TextEncoder().encode(JSON.stringify(invoke(name, argumentsIn(args)) ?? null));
        return answer.length;
      } catch (error) {
        if (error instanceof CapabilityViolated) throw error;
        const message = thrownText(error);
        answer = new TextEncoder().encode(message).subarray(0, messageBytesMax);
        return -1 - answer.length;
      }
    },
    answer: (/** @type {number} */ address) => {
      memory.bytes(address, answer.length).set(answer);
    },
  };
}

/** @param {Uint8Array} bytes */
function textIn(bytes) {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** @param {string} text @returns {unknown[]} */
function argumentsIn(text) {
  const args = JSON.parse(text);
  if (!Array.isArray(args)) throw new TypeError('the arguments are not a JSON array');
  return args;
}
