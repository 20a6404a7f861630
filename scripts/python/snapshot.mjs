// Makes the memory of an initialized Python part of its module: instances of the result begin where
// the initialization ended.

import { pythonFolders } from '../../packages/runtime/src/wasm/host/python/python-folders.mjs';
import { ambitNamespace } from '../../packages/runtime/src/wasm/host/wasi/ambit-functions.mjs';
import { GuestMemory } from '../../packages/runtime/src/wasm/host/wasi/guest-memory.mjs';
import { readableBytes } from '../../packages/runtime/src/wasm/host/wasi/streams.mjs';
import { wasiFunctions, wasiNamespace } from '../../packages/runtime/src/wasm/host/wasi/wasi-functions.mjs';
import { meterModule } from '../../packages/runtime/src/wasm/meter/meter-module.mjs';
import { section } from '../../packages/runtime/src/wasm/meter/outline.mjs';
import { Reader } from '../../packages/runtime/src/wasm/meter/reader.mjs';
import { Writer } from '../../packages/runtime/src/wasm/meter/writer.mjs';

/**
 * Initializes Python and returns its metered snapshot.
 *
 * @param {Uint8Array<ArrayBuffer>} reactor the module, as the linker writes it
 * @param {Uint8Array} library the standard library
 */
export function snapshotOf(reactor, library) {
  const memory = initialized(reactor, library);
  const metered = meterModule(withMemory(reactor, memory), { untrusted: false });
  if (metered.status === 'refused') throw new Error(`the interpreter ${metered.problem}`);
  return metered.bytes;
}

/**
 * @param {Uint8Array<ArrayBuffer>} reactor
 * @param {Uint8Array} library
 */
function initialized(reactor, library) {
  const module = new WebAssembly.Module(reactor);
  const memory = new GuestMemory();
  const { preopened } = pythonFolders(library, {
    diskBytes: 2 ** 20,
    fileBytes: 2 ** 20,
    now: () => 0n,
    given: undefined,
    skillFiles: { list: () => [], read: () => new Uint8Array() },
  });
  const errors = { write: (/** @type {Uint8Array} */ bytes) => void process.stderr.write(bytes) };
  const world = {
    args: [],
    env: {},
    stdin: readableBytes(new Uint8Array()),
    stdout: errors,
    stderr: errors,
    preopened,
  };
  const functions = {
    ...wasiFunctions(module, memory, world),
    // The same bytes at each build. A call begins with its own random numbers and its own time.
    random_get: (/** @type {number} */ address, /** @type {number} */ length) => {
      memory.bytes(address, length).fill(7);
      return 0;
    },
    clock_time_get: (
      /** @type {number} */ _clock,
      /** @type {bigint} */ _precision,
      /** @type {number} */ address,
    ) => {
      memory.setU64(address, 0n);
      return 0;
    },
  };
  const unavailable = () => {
    throw new Error('host functions are not for the initialization');
  };
  const { exports } = new WebAssembly.Instance(module, {
    [wasiNamespace]: functions,
    [ambitNamespace]: { invoke: unavailable, answer: unavailable },
  });
  memory.attach(exports['memory']);
  const stack = /** @type {WebAssembly.Global} */ (exports['__stack_pointer']);
  const top = stack.value;
  /** @type {any} */ (exports)['_initialize']();
  if (/** @type {any} */ (exports)['ambit_python_init']() !== 0)
    throw new Error('Python was not initialized');
  // The only variable besides the memory: what the snapshot leaves out has its initial value.
  if (stack.value !== top) throw new Error('the initialization left its stack in use');
  const bytes = new Uint8Array(/** @type {WebAssembly.Memory} */ (exports['memory']).buffer);
  // Below the top is the stack, which holds only what the initialization left there.
  bytes.fill(0, 0, top);
  return bytes;
}

const headerBytes = 8;
const pageBytes = 64 * 1024;
/** A shorter run of zeros costs less as data than as the gap between two segments. */
const gapBytes = 64;

/**
 * The module with this memory in place of its own data.
 *
 * @param {Uint8Array} module
 * @param {Uint8Array} memory
 */
function withMemory(module, memory) {
  const reader = new Reader(module);
  const writer = new Writer();
  writer.bytes(reader.take(headerBytes));
  while (!reader.atEnd) {
    const id = reader.byte();
    const content = reader.take(reader.unsigned());
    if (id === section.custom) continue;
    if (id === section.dataCount || id === section.start) throw new Error(`unexpected section ${id}`);
    writer.bytes([id]);
    writer.sized(
      id === section.memory ? memorySection(memory) : id === section.data ? dataSection(memory) : content,
    );
  }
  return new Uint8Array(writer.written);
}

/** @param {Uint8Array} memory */
function memorySection(memory) {
  const writer = new Writer();
  writer.bytes([1, 0]);
  writer.unsigned(memory.length / pageBytes);
  return writer.written;
}

/** @param {Uint8Array} memory */
function dataSection(memory) {
  const segments = segmentsOf(memory);
  const writer = new Writer();
  writer.unsigned(segments.length);
  for (const { from, to } of segments) {
    writer.bytes([0, 0x41]);
    writer.signed(from);
    writer.bytes([0x0b]);
    writer.sized(memory.subarray(from, to));
  }
  return writer.written;
}

/**
 * The parts of a memory that are not zero.
 *
 * @param {Uint8Array} memory
 */
function segmentsOf(memory) {
  /** @type {{ from: number, to: number }[]} */
  const segments = [];
  let last = { from: 0, to: -gapBytes };
  for (let at = 0; at < memory.length; at++) {
    if (memory[at] === 0) continue;
    if (at - last.to < gapBytes) last.to = at + 1;
    else {
      last = { from: at, to: at + 1 };
      segments.push(last);
    }
  }
  return segments;
}
