/** @import { HostVerdict } from '../pool/host-protocol.ts' */
/** @import { MeteredInstance } from './metered-instance.mjs' */
import { CapabilityViolated } from './capability-violated.mjs';
import { MemoryBeyondBounds } from './metered-instance.mjs';
import { OutOfMemory } from './out-of-memory.mjs';
import { WasiError } from './wasi/errno.mjs';
import { ProgramExited } from './wasi/program-exited.mjs';
import { OutputTooLarge } from './wasi/streams.mjs';

const pageBytes = 64 * 1024;
const trapCharactersMax = 4000;

/**
 * What an error that ended a call says of it.
 *
 * @param {unknown} error what a host function ended the call with, or else what came out of the module
 * @param {MeteredInstance | undefined} instance `undefined` when it did not come so far
 * @param {number} memoryBytes what the module was allowed
 * @returns {Exclude<HostVerdict, { status: 'returned' | 'returned-nothing' }>}
 */
export function verdictOn(error, instance, memoryBytes) {
  if (error instanceof CapabilityViolated) {
    const { capability, detail, item } = error;
    return { status: 'capability-violated', capability, detail, ...(item === undefined ? {} : { item }) };
  }
  if (error instanceof ProgramExited) return { status: 'exited', exitCode: error.exitCode };
  if (error instanceof OutputTooLarge) return { status: 'output-too-large' };
  if (error instanceof WasiError) return { status: 'out-of-memory' };
  if (error instanceof OutOfMemory || error instanceof MemoryBeyondBounds) return { status: 'out-of-memory' };
  if (error instanceof WebAssembly.LinkError) {
    return { status: 'refused', problem: `cannot be linked: ${error.message}` };
  }
  if (instance?.ranOutOfFuel) return { status: 'out-of-fuel' };
  // The engine's words for a memory or buffer that it could not have: there is no other sign of it.
  if (
    error instanceof RangeError &&
    /out of memory|allocation failed|array buffer length/i.test(error.message)
  ) {
    return { status: 'out-of-memory' };
  }
  // A module that finds its memory full can only trap.
  if (error instanceof WebAssembly.RuntimeError) {
    const full = (instance?.memoryBytes ?? 0) + pageBytes > memoryBytes;
    if (full || instance?.wasRefusedMemory) return { status: 'out-of-memory' };
  }
  return { status: 'failed', trap: trapOf(error).slice(0, trapCharactersMax) };
}

/** @param {unknown} error */
function trapOf(error) {
  return error instanceof Error ? error.message : 'an exception of the module, which nothing caught';
}
