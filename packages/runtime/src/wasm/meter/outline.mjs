/** @import { Features } from './types.mjs' */
import { skipImmediates } from './immediates.mjs';
import { opcode, type } from './opcodes.mjs';
import { Reader } from './reader.mjs';
import { Refusal } from './refusal.mjs';
import { skipValueType } from './types.mjs';

/**
 * Section numbers in the order of the binary format; tags were added last and come in the middle.
 */
export const section = Object.freeze({
  custom: 0,
  type: 1,
  import: 2,
  function: 3,
  table: 4,
  memory: 5,
  tag: 13,
  global: 6,
  export: 7,
  start: 8,
  element: 9,
  dataCount: 12,
  code: 10,
  data: 11,
});

/**
 * Facts about a module that are needed before its code is read.
 *
 * @typedef {object} Outline
 * @property {ReadonlyMap<number, Uint8Array>} sections the content of each, without the custom ones
 * @property {Uint8Array | undefined} names the custom section that names functions for messages
 * @property {number[]} parameterCounts of each type
 * @property {number} importedFunctions
 * @property {number[]} functionTypes of each function that is not imported
 * @property {number[]} tableTypes the encoded element type of each table
 * @property {boolean} hasMemory
 * @property {number} globals
 * @property {number} exports
 * @property {{ index: number, returns: boolean } | undefined} run its own function that is exported
 *   under the called name, if it takes nothing and returns nothing or an i32
 * @property {number | undefined} start the start function
 */

const tableElementsMax = 100_000;
const ownPrefix = 'ambit:';

/**
 * Reads everything except the code of a valid module. Throws `Refusal` if it uses a feature that
 * cannot be metered.
 *
 * @param {Uint8Array} bytes
 * @param {Features} features
 * @param {string} called the name of the called export
 * @returns {Outline}
 */
export function readOutline(bytes, features, called) {
  const { sections, names } = sectionsOf(bytes);
  const of = (/** @type {number} */ id) => new Reader(sections.get(id) ?? Uint8Array.of(0));
  const types = readTypes(of(section.type), features);
  const imports = readImports(of(section.import), features);
  const functionTypes = readMany(of(section.function), (reader) => reader.unsigned());
  const tables = [...imports.tables, ...readMany(of(section.table), (reader) => readTable(reader, features))];
  const elements = tables.reduce((total, table) => total + table.elements, 0);
  if (elements > tableElementsMax) {
    throw new Refusal(`has tables of ${elements} elements, more than ${tableElementsMax}`);
  }
  const memories = imports.memories + readMany(of(section.memory), readMemory).length;
  if (memories > 1) throw new Refusal('has more than one memory');
  const globals = readMany(of(section.global), (reader) => skipGlobal(reader, features));
  const exports = readMany(of(section.export), readExport);
  const run = exports.find(({ name, what }) => name === called && what === kind.function)?.index;
  const runType = run === undefined ? undefined : types[functionTypes[run - imports.functions] ?? -1];
  return {
    sections,
    names,
    parameterCounts: types.map(({ parameters }) => parameters.length),
    importedFunctions: imports.functions,
    functionTypes,
    tableTypes: tables.map((table) => table.elementType),
    hasMemory: memories === 1,
    globals: imports.globals + globals.length,
    exports: exports.length,
    run: run === undefined ? undefined : callable(run, runType),
    start: sections.has(section.start) ? of(section.start).unsigned() : undefined,
  };
}

const headerBytes = 8;
/** @type {ReadonlySet<number>} */
const known = new Set(Object.values(section));

/** @param {Uint8Array} bytes */
function sectionsOf(bytes) {
  /** @type {Map<number, Uint8Array>} */
  const sections = new Map();
  /** @type {Uint8Array | undefined} */
  let names;
  const reader = new Reader(bytes);
  reader.take(headerBytes);
  while (!reader.atEnd) {
    const id = reader.byte();
    const content = reader.take(reader.unsigned());
    if (id === section.custom) {
      if (new Reader(content).name() === 'name') names = content;
    } else if (known.has(id)) sections.set(id, content);
    else throw new Refusal(`has a section ${id}, which cannot be metered`);
  }
  return { sections, names };
}

/**
 * @template Item
 * @param {Reader} reader
 * @param {(reader: Reader) => Item} readOne
 */
function readMany(reader, readOne) {
  /** @type {Item[]} */
  const items = [];
  for (let count = reader.unsigned(); count > 0; count--) items.push(readOne(reader));
  return items;
}

/**
 * @param {Reader} reader
 * @param {Features} features
 */
function readTypes(reader, features) {
  const valueType = (/** @type {Reader} */ from) => {
    const first = from.bytes[from.offset];
    skipValueType(from, features);
    return first;
  };
  return readMany(reader, () => {
    if (reader.byte() !== type.function)
      throw new Refusal('uses garbage collection, which cannot be metered');
    return { parameters: readMany(reader, valueType), results: readMany(reader, valueType) };
  });
}

/**
 * @param {number} index
 * @param {{ parameters: unknown[], results: unknown[] } | undefined} functionType
 */
function callable(index, functionType) {
  if (functionType === undefined || functionType.parameters.length > 0) return undefined;
  const { results } = functionType;
  if (results.length === 0) return { index, returns: false };
  return results.length === 1 && results[0] === type.i32 ? { index, returns: true } : undefined;
}

const kind = Object.freeze({ function: 0, table: 1, memory: 2, global: 3, tag: 4 });

/**
 * @param {Reader} reader
 * @param {Features} features
 */
function readImports(reader, features) {
  /** @type {ReturnType<typeof readTable>[]} */
  const tables = [];
  const counts = { functions: 0, memories: 0, globals: 0 };
  readMany(reader, () => {
    reader.name();
    reader.name();
    const what = reader.byte();
    switch (what) {
      case kind.function:
        reader.unsigned();
        counts.functions++;
        break;
      case kind.table:
        tables.push(readTable(reader, features));
        break;
      case kind.memory:
        readMemory(reader);
        counts.memories++;
        break;
      case kind.global:
        skipGlobalType(reader, features);
        counts.globals++;
        break;
      case kind.tag:
        reader.byte();
        reader.unsigned();
        break;
      default:
        throw new Refusal(`imports something of kind ${what}, which cannot be metered`);
    }
  });
  return { ...counts, tables };
}

const tableWithElements = 0x40;

/**
 * @param {Reader} reader
 * @param {Features} features
 */
function readTable(reader, features) {
  const elementType = reader.bytes[reader.offset] ?? 0;
  if (elementType === tableWithElements) {
    throw new Refusal('uses typed function references, which cannot be metered');
  }
  skipValueType(reader, features);
  return { elementType, elements: readLimits(reader, 'table') };
}

/** @param {Reader} reader */
function readMemory(reader) {
  return readLimits(reader, 'memory');
}

/** Flags of limits. */
const limits = Object.freeze({ hasMaximum: 1, shared: 2, wide: 4 });

/**
 * The minimum size.
 *
 * @param {Reader} reader
 * @param {string} of
 */
function readLimits(reader, of) {
  const flags = reader.byte();
  if ((flags & limits.shared) !== 0)
    throw new Refusal(`uses threads (a shared ${of}), which cannot be metered`);
  if ((flags & limits.wide) !== 0) throw new Refusal(`uses memory64 (a ${of}), which cannot be metered`);
  if (flags > limits.hasMaximum) throw new Refusal(`has a ${of} of a kind that cannot be metered`);
  const minimum = reader.unsigned();
  if (flags === limits.hasMaximum) reader.unsigned();
  return minimum;
}

/**
 * @param {Reader} reader
 * @param {Features} features
 */
function skipGlobalType(reader, features) {
  skipValueType(reader, features);
  reader.byte();
}

/**
 * @param {Reader} reader
 * @param {Features} features
 */
function skipGlobal(reader, features) {
  skipGlobalType(reader, features);
  for (let first = reader.byte(); first !== opcode.end; first = reader.byte()) {
    skipImmediates(reader, first, features);
  }
}

/** @param {Reader} reader */
function readExport(reader) {
  const name = reader.name();
  if (name.startsWith(ownPrefix)) {
    throw new Refusal(`exports ${JSON.stringify(name)}; names that start with "${ownPrefix}" are reserved`);
  }
  return { name, what: reader.byte(), index: reader.unsigned() };
}
