/** @import { HostVerdict } from '../../pool/host-protocol.ts' */
import { createHash } from 'node:crypto';
import { CapabilityViolated } from '../capability-violated.mjs';
import { thrownText } from '../thrown-text.mjs';
import { withoutOurFrames } from './without-our-frames.mjs';

/**
 * Handles a script's host functions: takes and returns JSON values. Throws `CapabilityViolated`,
 * which ends the call, or an error whose message the script sees.
 *
 * @typedef {(name: string, args: unknown[]) => unknown} Invoke
 *
 * The end of a call; `output` is absent unless it returned.
 * @typedef {{ verdict: HostVerdict, output?: Uint8Array }} End
 */

const trapCharactersMax = 4000;
/** Enough text to fill the limit after Ambit's own frames are removed. */
const shownCharactersMax = 16 * trapCharactersMax;
const nothing = new Uint8Array();

/**
 * The host's side of one call: answers the world's requests, and records how the call ended.
 *
 * @param {string} entry
 * @param {Uint8Array} input
 * @param {number} outputBytes
 * @param {Pick<Console, 'info'>} log
 * @param {Invoke} invoke
 */
export function hostSide(entry, input, outputBytes, log, invoke) {
  const call = {
    /** @type {End | undefined} */
    end: undefined,
    /** @param {Uint8Array[]} texts the operation and its argument */
    answer: ([operation = nothing, text = nothing]) => {
      switch (decoded(operation)) {
        case 'entry':
          return `./${entry}`;
        case 'input':
          return input;
        case 'seeds':
          return JSON.stringify(seedsOf(input));
        case 'invoke':
          return JSON.stringify(invoked(invoke, decoded(text)));
        case 'log':
          return void log.info(JSON.parse(decoded(text)));
        case 'returned':
          call.end = returned(text, outputBytes);
          return undefined;
        case 'refused':
          call.end = { verdict: { status: 'refused', problem: decoded(text) } };
          return undefined;
        default:
          call.end = threw(JSON.parse(decoded(text)));
          return undefined;
      }
    },
  };
  return call;
}

const hostFunctions = new Set([
  ...['context', 'state_get', 'state_set', 'recall_memory', 'read_file', 'write_file', 'env'],
  ...['http_request', 'progress'],
]);

/**
 * @param {Invoke} invoke
 * @param {string} request
 * @returns {[done: boolean, answer: unknown]}
 */
function invoked(invoke, request) {
  try {
    const [name, args] = JSON.parse(request) ?? [];
    // A script can change how its own values become JSON.
    if (!hostFunctions.has(name) || !Array.isArray(args)) {
      throw new Error('unknown host function');
    }
    return [true, invoke(name, args) ?? null];
  } catch (error) {
    if (error instanceof CapabilityViolated) throw error;
    return [false, thrownText(error)];
  }
}

/** @param {Uint8Array} input */
function seedsOf(input) {
  const digest = createHash('sha256').update(input).digest();
  return [0, 4, 8, 12].map((offset) => digest.readInt32LE(offset));
}

/**
 * @param {Uint8Array} output
 * @param {number} outputBytes
 * @returns {End}
 */
function returned(output, outputBytes) {
  if (output.length > outputBytes) return { verdict: { status: 'output-too-large' } };
  // A copy: the original is in the world's memory.
  return { verdict: { status: 'returned' }, output: output.slice() };
}

/**
 * @param {string} text
 * @returns {End}
 */
function threw(text) {
  // A request beyond what the engine can even ask for leaves no other trace.
  if (text.startsWith('InternalError: out of memory')) return { verdict: { status: 'out-of-memory' } };
  return failure(withoutOurFrames(text.slice(0, shownCharactersMax)));
}

/**
 * A failure with a message, which is shortened.
 *
 * @param {string} trap
 * @returns {End}
 */
export function failure(trap) {
  return { verdict: { status: 'failed', trap: trap.slice(0, trapCharactersMax) } };
}

/** @param {Uint8Array} bytes */
function decoded(bytes) {
  return new TextDecoder().decode(bytes);
}
