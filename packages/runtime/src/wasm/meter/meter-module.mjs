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
 * Rewrites a module so that it counts what it does and stops when its fuel has run out. The result depends on nothing
 * but the bytes, the trust and the version of the cost model. It exports, besides what it did before:
 *
 * - `ambit:begin (fuel: i64, memoryPages: i32, tableGrowth: i32)`: the budget, to be set before anything else is called;
 *   until then there is none. `memoryPages` is the most its memory may grow to, `tableGrowth` by how many elements all
 *   its tables together.
 * - `ambit:fuel () -> i64`: what is left; below 0 once it ran out, which was a trap.
 * - `ambit:refused () -> i32`: bit 0 when `memory.grow` was refused because of `memoryPages`, bit 1 when `table.grow`
 *   was because of `tableGrowth`.
 * - `ambit:pages () -> i32`: the size of its memory now, in pages; 0 without one. What it declares is not held to
 *   `memoryPages`: compare this once it is instantiated.
 * - `ambit:run ()`: its start function, when it had one, and then the function that is called; only when that takes
 *   nothing and returns nothing or an i32. For a caller that takes no notice of what is returned: `ambit:returned () -> i32`
 *   is what it returned, and 0 where it returns nothing.
 * - `ambit:start ()`: its start function, when it had one. It no longer starts by itself; call this after `ambit:begin`.
 *
 * Never throws; `problem` goes on from the module's name.
 *
 * @param {Uint8Array} bytes
 * @param {{ untrusted: boolean, function?: string }} options an untrusted module may not use SIMD; `function` is the export
 * that is called, `run` when absent
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
      throw new Refusal('grows beyond what the engine takes when it is metered');
    }
    return { status: 'metered', bytes: metered };
  } catch (error) {
    if (error instanceof Refusal) return { status: 'refused', problem: error.message };
    // A buffer or array that cannot be had is a RangeError.
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
 * Every guarantee rests on this: a valid module can name no global and no function that is added to it.
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

/** Its types want to know that no thread shares it. @param {Uint8Array} bytes */
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

/** The engine takes no longer function. */
const functionBytesMax = 7_654_321;
/** Twice as much as the longest module that is read. */
const codeBytesMax = 128 * 1024 * 1024;

/**
 * The code section's content, metered.
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
 * A section of so many entries, with more behind them.
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
