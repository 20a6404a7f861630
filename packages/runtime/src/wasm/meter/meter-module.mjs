/** @import { Features } from './types.mjs' */
/** @import { Governor } from './governor.mjs' */
/** @import { Outline } from './outline.mjs' */
import { governor } from './governor.mjs';
import { meterBody } from './meter-body.mjs';
import { readOutline, section } from './outline.mjs';
import { Reader } from './reader.mjs';
import { Refusal } from './refusal.mjs';
import { Writer } from './writer.mjs';

/** @typedef {{ status: 'metered', bytes: Uint8Array } | { status: 'refused', problem: string }} Metered */

/**
 * Rewrites a module so that it counts its fuel and stops when the fuel has run out. The result
 * depends only on the bytes, the trust and the version of the cost model. It exports, in addition
 * to the module's own exports:
 *
 * - `ambit:begin (fuel: i64, memoryPages: i32, tableGrowth: i32)`: sets the budget; call it before
 *   anything else, because there is none until then. `memoryPages` is the maximum size of its
 *   memory, `tableGrowth` the number of elements by which all its tables together may grow.
 * - `ambit:fuel () -> i64`: the remaining fuel; below 0 after it ran out, which was a trap.
 * - `ambit:refused () -> i32`: bit 0 if `memory.grow` was refused because of `memoryPages`, bit 1
 *   if `table.grow` was refused because of `tableGrowth`.
 * - `ambit:pages () -> i32`: the current size of its memory, in pages; 0 without one. `memoryPages`
 *   does not limit the declared size: compare this after instantiation.
 * - `ambit:run ()`: runs its start function, if any, and then the called function; only if that
 *   takes nothing and returns nothing or an i32. For a caller that ignores results, `ambit:returned
 *   () -> i32` is the result, or 0 if it returns nothing.
 * - `ambit:start ()`: its start function, if any. It no longer runs by itself; call this after
 *   `ambit:begin`.
 *
 * Never throws; `problem` continues a sentence that begins with the module's name.
 *
 * @param {Uint8Array} bytes
 * @param {{ untrusted: boolean, function?: string | undefined }} options an untrusted module may not
 *   use SIMD; `function` is the export that is called, `run` when absent
 * @returns {Metered}
 */
export function meterModule(bytes, { untrusted, function: called = 'run' }) {
  try {
    checkHeader(bytes);
    checkValid(bytes);
    const features = { simd: !untrusted };
    const outline = readOutline(bytes, features, called);
    const metered = rewrite(outline, features);
    if (!WebAssembly.validate(source(metered))) {
      throw new Refusal('exceeds the limits of the engine after metering');
    }
    return { status: 'metered', bytes: metered };
  } catch (error) {
    if (error instanceof Refusal) return { status: 'refused', problem: error.message };
    // Failed allocations of buffers and arrays are RangeErrors.
    if (error instanceof RangeError) return { status: 'refused', problem: 'is too large to be metered' };
    throw error;
  }
}

const magic = '\0asm';
const componentVersion = '\r\0\u0001\0';

/** @param {Uint8Array} bytes */
function checkHeader(bytes) {
  const [start, version] = [bytes.subarray(0, 4), bytes.subarray(4, 8)].map((part) =>
    String.fromCharCode(...part),
  );
  if (start === magic && version === componentVersion) throw new Refusal('is a component, not a core module');
}

/**
 * Every guarantee depends on this: a valid module cannot refer to the added globals and functions.
 *
 * @param {Uint8Array} bytes
 */
function checkValid(bytes) {
  if (WebAssembly.validate(source(bytes))) return;
  try {
    new WebAssembly.Module(source(bytes));
  } catch (error) {
    throw new Refusal(`is not a valid WebAssembly module: ${error instanceof Error ? error.message : error}`);
  }
  throw new Refusal('is not a valid WebAssembly module');
}

/** Only for the types: no thread shares these bytes. @param {Uint8Array} bytes */
function source(bytes) {
  return /** @type {Uint8Array<ArrayBuffer>} */ (bytes);
}

const header = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

/**
 * @param {Outline} outline
 * @param {Features} features
 */
function rewrite(outline, features) {
  const governed = governor(outline);
  const bodies = meterBodies(outline, governed, features);
  const additions = governed.additions();
  /** @type {Map<number, Uint8Array>} */
  const changed = new Map([
    [section.type, extended(outline.sections.get(section.type), additions.types)],
    [section.function, extended(outline.sections.get(section.function), additions.functions)],
    [section.global, extended(outline.sections.get(section.global), additions.globals)],
    [section.export, extended(outline.sections.get(section.export), additions.exports)],
    [section.code, extended(bodies, additions.bodies)],
  ]);
  const writer = new Writer();
  writer.bytes(header);
  for (const id of Object.values(section)) {
    const content = id === section.start ? undefined : (changed.get(id) ?? outline.sections.get(id));
    if (content === undefined) continue;
    writer.bytes([id]);
    writer.sized(content);
  }
  if (outline.names !== undefined) {
    writer.bytes([section.custom]);
    writer.sized(outline.names);
  }
  return writer.written;
}

/** The engine's maximum length of a function. */
const functionBytesMax = 7_654_321;
/** Twice the length of the longest module. */
const codeBytesMax = 128 * 1024 * 1024;

/**
 * The metered content of the code section.
 *
 * @param {Outline} outline
 * @param {Governor} governed
 * @param {Features} features
 */
function meterBodies({ sections, functionTypes, parameterCounts }, governed, features) {
  const writer = new Writer();
  const body = new Writer();
  const reader = new Reader(sections.get(section.code) ?? Uint8Array.of(0));
  writer.unsigned(reader.unsigned());
  for (const type of functionTypes) {
    body.clear();
    const original = new Reader(reader.take(reader.unsigned()));
    meterBody(original, parameterCounts[type] ?? 0, governed, features, body);
    if (body.length > functionBytesMax) {
      throw new Refusal(`has a function of ${original.bytes.length} bytes, which is too large to be metered`);
    }
    writer.sized(body.written);
    if (writer.length > codeBytesMax) throw new Refusal('has too much code to be metered');
  }
  return writer.written;
}

/**
 * A section with more entries appended.
 *
 * @param {Uint8Array | undefined} content
 * @param {Uint8Array[]} entries
 */
function extended(content, entries) {
  const writer = new Writer();
  const reader = new Reader(content ?? Uint8Array.of(0));
  writer.unsigned(reader.unsigned() + entries.length);
  writer.bytes(reader.bytes.subarray(reader.offset));
  for (const entry of entries) writer.bytes(entry);
  return writer.written;
}
