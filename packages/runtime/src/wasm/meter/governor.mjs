/** @import { Outline } from './outline.mjs' */
import { bytesPerFuelLog2, fuelPerPage } from './cost-model.mjs';
import { bulk, opcode, type } from './opcodes.mjs';
import { Writer } from './writer.mjs';

/**
 * The additions to a module that enforce its budget: globals for the remaining fuel, functions that
 * take from it, and exports for the host. They come after the module's own items, so that no index
 * changes. A global that is not exported is out of the module's reach: a valid module uses no index
 * beyond its own.
 *
 * @typedef {object} Governor
 * @property {number} chargeBytes charges for the bytes in its `i32` argument, and returns it
 * @property {number} chargeElements the same for table elements
 * @property {number} growMemory replaces `memory.grow`
 * @property {(table: number) => number} growTable replaces `table.grow` of this table
 * @property {(left: number, writer: Writer) => void} writeRecall code that loads the fuel into
 *   the `i64` local `left`
 * @property {(cost: number, left: number, writer: Writer) => void} writeCharge code that subtracts
 *   `cost` from the fuel, which `left` already contains, and traps if that is not enough
 * @property {(cost: number, left: number, writer: Writer) => void} writeLocalCharge the same, but
 *   stores the result only in `left` unless it traps
 * @property {(left: number, writer: Writer) => void} writeStore code that stores `left` as the fuel
 * @property {() => Additions} additions once all code was read
 */

/**
 * Encoded entries to append to each section.
 *
 * @typedef {{ types: Uint8Array[], functions: Uint8Array[], globals: Uint8Array[], exports:
 *   Uint8Array[], bodies: Uint8Array[] }} Additions
 */

/** @typedef {{ parameters: number[], results: number[], locals?: number[], code: number[] }} OwnFunction */

/**
 * @param {Outline} outline
 * @returns {Governor}
 */
export function governor(outline) {
  const fuel = leb(outline.globals);
  const pagesMax = leb(outline.globals + 1);
  const elementsLeft = leb(outline.globals + 2);
  const refused = leb(outline.globals + 3);
  const returned = leb(outline.globals + 4);
  const firstFunction = outline.importedFunctions + outline.functionTypes.length;
  /** @type {OwnFunction[]} */
  const functions = [];
  /** @param {OwnFunction} own */
  const add = (own) => firstFunction + functions.push(own) - 1;

  const { i32, i64 } = type;
  const op = opcode;

  const begin = add({
    parameters: [i64, i32, i32],
    results: [],
    code: [
      ...[op.localGet, 0, op.globalSet, ...fuel, op.localGet, 1, op.globalSet, ...pagesMax],
      ...[op.localGet, 2, op.globalSet, ...elementsLeft],
    ],
  });
  const fuelLeft = add({ parameters: [], results: [i64], code: [op.globalGet, ...fuel] });
  const refusals = add({ parameters: [], results: [i32], code: [op.globalGet, ...refused] });
  const pages = outline.hasMemory ? [op.memorySize, 0] : [op.i32Const, 0];
  const pagesNow = add({ parameters: [], results: [i32], code: pages });
  const callStart = outline.start === undefined ? [] : [op.call, ...leb(outline.start)];
  /** @param {NonNullable<Outline['run']>} own */
  const runners = ({ index, returns }) => [
    exported(
      'ambit:run',
      add({
        parameters: [],
        results: [],
        code: [...callStart, op.call, ...leb(index), ...(returns ? [op.globalSet, ...returned] : [])],
      }),
    ),
    exported('ambit:returned', add({ parameters: [], results: [i32], code: [op.globalGet, ...returned] })),
  ];
  const run = outline.run === undefined ? [] : runners(outline.run);
  const charging = chargingFunctions(outline, { fuel, pagesMax, elementsLeft, refused });
  const chargeBytes = add(charging.chargeBytes);
  const chargeElements = add(charging.chargeElements);
  const growMemory = add(charging.growMemory);
  /** @type {Map<number, number>} */
  const tableGrowers = new Map();
  return {
    chargeBytes,
    chargeElements,
    growMemory,
    growTable(table) {
      const grower = tableGrowers.get(table) ?? add(charging.growTable(table));
      tableGrowers.set(table, grower);
      return grower;
    },
    ...chargeWriter(fuel),
    additions: () => ({
      types: functions.map(typeOf),
      functions: functions.map((_, index) => Uint8Array.from(leb(outline.parameterCounts.length + index))),
      globals: [i64, i32, i32, i32, i32].map(zero),
      exports: [
        exported('ambit:begin', begin),
        exported('ambit:fuel', fuelLeft),
        exported('ambit:refused', refusals),
        exported('ambit:pages', pagesNow),
        ...run,
        ...(outline.start === undefined ? [] : [exported('ambit:start', outline.start)]),
      ],
      bodies: functions.map(bodyOf),
    }),
  };
}

/**
 * The functions that take from the budget. Each argument but the outline is the index of a global.
 *
 * @param {Outline} outline
 * @param {{ fuel: number[], pagesMax: number[], elementsLeft: number[], refused: number[] }} globals
 */
function chargingFunctions(outline, { fuel, pagesMax, elementsLeft, refused }) {
  const { i32, i64 } = type;
  const op = opcode;
  /** Subtracts the i64 on the stack from the fuel. @param {number} scratch an i64 local */
  const take = (scratch) => [
    ...[op.localSet, scratch, op.globalGet, ...fuel, op.localGet, scratch, op.i64Sub],
    ...[op.localTee, scratch, op.globalSet, ...fuel, op.localGet, scratch, ...trapWhenBelowZero],
  ];
  /** Returns -1 and sets a bit if there is a 1 on the stack. @param {number} bit */
  const refuseWhenTrue = (bit) => [
    ...[op.if, type.empty, op.globalGet, ...refused, op.i32Const, bit, op.i32Or, op.globalSet, ...refused],
    ...[op.i32Const, minusOne, op.return, op.end],
  ];

  return {
    chargeBytes: {
      parameters: [i32],
      results: [i32],
      locals: [i64],
      code: [
        ...[op.localGet, 0, op.i64ExtendI32U, op.i64Const, bytesPerFuelLog2, op.i64ShrU, ...take(1)],
        ...[op.localGet, 0],
      ],
    },
    chargeElements: {
      parameters: [i32],
      results: [i32],
      locals: [i64],
      code: [op.localGet, 0, op.i64ExtendI32U, ...take(1), op.localGet, 0],
    },
    // Checked before it is charged, and charged before it is done: the fuel does not depend on
    // whether the machine has the memory.
    growMemory: {
      parameters: [i32],
      results: [i32],
      locals: [i64],
      code: outline.hasMemory
        ? [
            ...[op.memorySize, 0, op.i64ExtendI32U, op.localGet, 0, op.i64ExtendI32U, op.i64Add],
            ...[op.globalGet, ...pagesMax, op.i64ExtendI32U, op.i64GtU, ...refuseWhenTrue(1)],
            ...[
              op.localGet,
              0,
              op.i64ExtendI32U,
              op.i64Const,
              ...signedLeb(fuelPerPage),
              op.i64Mul,
              ...take(1),
            ],
            ...[op.localGet, 0, op.memoryGrow, 0],
          ]
        : [op.i32Const, minusOne],
    },

    /** @param {number} table @returns {OwnFunction} */
    growTable: (table) => ({
      parameters: [outline.tableTypes[table] ?? 0, i32],
      results: [i32],
      locals: [i64, i32],
      code: [
        ...[op.localGet, 1, op.globalGet, ...elementsLeft, op.i32GtU, ...refuseWhenTrue(2)],
        ...[op.localGet, 1, op.i64ExtendI32U, ...take(2)],
        ...[op.localGet, 0, op.localGet, 1, bulk.prefix, bulk.tableGrow, ...leb(table)],
        ...[op.localTee, 3, op.i32Const, minusOne, op.i32Ne, op.if, type.empty],
        ...[op.globalGet, ...elementsLeft, op.localGet, 1, op.i32Sub, op.globalSet, ...elementsLeft],
        ...[op.end, op.localGet, 3],
      ],
    }),
  };
}

/**
 * Writes the charges of the module's own code.
 *
 * @param {number[]} fuel the index of the global with the remaining fuel
 * @returns {Pick<Governor, 'writeRecall' | 'writeCharge' | 'writeLocalCharge' | 'writeStore'>}
 */
function chargeWriter(fuel) {
  const op = opcode;
  // The constant parts of a charge: large modules have millions of them.
  const fuelIntoLocal = Uint8Array.of(op.globalGet, ...fuel, op.localSet);
  const fromLocal = Uint8Array.of(op.localGet);
  const minus = Uint8Array.of(op.i64Const);
  const intoLocal = Uint8Array.of(op.i64Sub, op.localTee);
  /** Subtracts from the fuel in a local. @param {number} cost @param {number} left @param {Writer} writer */
  const writeSubtraction = (cost, left, writer) => {
    writer.bytes(fromLocal);
    writer.unsigned(left);
    writer.bytes(minus);
    writer.signed(cost);
    writer.bytes(intoLocal);
    writer.unsigned(left);
  };
  const intoFuel = Uint8Array.of(op.globalSet, ...fuel);
  const intoFuelAndFromLocal = Uint8Array.of(op.globalSet, ...fuel, op.localGet);
  const whenBelowZero = Uint8Array.of(op.i64Const, 0, op.i64LtS, op.if, type.empty, op.localGet);
  const intoFuelAndTrap = Uint8Array.of(op.globalSet, ...fuel, op.unreachable, op.end);

  return {
    writeRecall(left, writer) {
      writer.bytes(fuelIntoLocal);
      writer.unsigned(left);
    },
    writeCharge(cost, left, writer) {
      writeSubtraction(cost, left, writer);
      writer.bytes(intoFuelAndFromLocal);
      writer.unsigned(left);
      writer.bytes(trapWhenBelowZero);
    },
    writeLocalCharge(cost, left, writer) {
      writeSubtraction(cost, left, writer);
      writer.bytes(whenBelowZero);
      writer.unsigned(left);
      writer.bytes(intoFuelAndTrap);
    },
    writeStore(left, writer) {
      writer.bytes(fromLocal);
      writer.unsigned(left);
      writer.bytes(intoFuel);
    },
  };
}

/** Traps if the i64 on the stack is below zero. */
const trapWhenBelowZero = [
  ...[opcode.i64Const, 0, opcode.i64LtS, opcode.if, type.empty],
  ...[opcode.unreachable, opcode.end],
];

/** -1 as a one-byte LEB128. */
const minusOne = 0x7f;
const mutable = 1;

/** @param {OwnFunction} own */
function typeOf({ parameters, results }) {
  return Uint8Array.of(type.function, parameters.length, ...parameters, results.length, ...results);
}

/** A mutable global with the value 0. @param {number} valueType */
function zero(valueType) {
  const constant = valueType === type.i64 ? opcode.i64Const : opcode.i32Const;
  return Uint8Array.of(valueType, mutable, constant, 0, opcode.end);
}

/**
 * @param {string} name
 * @param {number} index
 */
function exported(name, index) {
  return Uint8Array.of(name.length, ...new TextEncoder().encode(name), 0, ...leb(index));
}

/** @param {OwnFunction} own */
function bodyOf({ locals = [], code }) {
  const declared = [locals.length, ...locals.flatMap((local) => [1, local])];
  const body = [...declared, ...code, opcode.end];
  return Uint8Array.of(...leb(body.length), ...body);
}

/** @param {number} value */
function leb(value) {
  const writer = new Writer();
  writer.unsigned(value);
  return [...writer.written];
}

/** @param {number} value not below 0 */
function signedLeb(value) {
  const writer = new Writer();
  writer.signed(value);
  return [...writer.written];
}
