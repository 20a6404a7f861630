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
 * The verdict for an error that ended a call.
 *
 * @param {unknown} error the error of a host function, otherwise of the module
 * @param {MeteredInstance | undefined} instance `undefined` if it was not created
 * @param {number} memoryBytes the module's limit
 * @returns {Exclude<HostVerdict, { status: 'returned' | 'returned-nothing' }>}
 */
export function verdictOn(error, instance, memoryBytes) {
  if (error instanceof CapabilityViolated) {
    const { capability, detail, item } = error;
    return { status: 'capability-violated', capability, detail, item };
  }
  if (error instanceof ProgramExited) return { status: 'exited', exitCode: error.exitCode };
  if (error instanceof OutputTooLarge) return { status: 'output-too-large' };
  if (error instanceof WasiError) return { status: 'out-of-memory' };
  if (error instanceof OutOfMemory || error instanceof MemoryBeyondBounds) return { status: 'out-of-memory' };
  if (error instanceof WebAssembly.LinkError) {
    return { status: 'refused', problem: `cannot be linked: ${error.message}` };
  }
  if (instance?.ranOutOfFuel) return { status: 'out-of-fuel' };
  // The engine's messages for memory that it could not allocate: there is no other sign of it.
  if (
    error instanceof RangeError &&
    /out of memory|allocation failed|array buffer length/i.test(error.message)
  ) {
    return { status: 'out-of-memory' };
  }
  // A module whose memory is full can only trap.
  if (error instanceof WebAssembly.RuntimeError) {
    const full = (instance?.memoryBytes ?? 0) + pageBytes > memoryBytes;
    if (full || instance?.wasRefusedMemory) return { status: 'out-of-memory' };
  }
  return { status: 'failed', trap: trapOf(error).slice(0, trapCharactersMax) };
}

/** @param {unknown} error */
function trapOf(error) {
  return error instanceof Error ? error.message : 'an uncaught exception of the module';
}
