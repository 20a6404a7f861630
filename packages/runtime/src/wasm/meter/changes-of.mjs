/** @import { Features } from './types.mjs' */
/** @import { Governor } from './governor.mjs' */
/** @import { Reader } from './reader.mjs' */
/** @import { Change } from './stretches.mjs' */
import { fuelPerInstruction } from './cost-model.mjs';
import { skipBulk, skipImmediates } from './immediates.mjs';
import { bulk, opcode } from './opcodes.mjs';
import { stretches } from './stretches.mjs';
import { skipBlockType } from './types.mjs';

/** @typedef {ReturnType<typeof stretches>} Stretches */

/**
 * Finds the changes that make a function's code pay for itself.
 *
 * @param {Reader} body of a valid module, from its first instruction on
 * @param {number} entryCost what the first stretch costs besides its instructions
 * @param {Governor} governor
 * @param {Features} features
 * @returns {{ changes: Change[], catches: boolean }} the changes in the order of their places;
 *   whether control can come back to the function by an exception, at places that are not told
 *   apart here
 */
export function changesOf(body, entryCost, governor, features) {
  const code = stretches(body, entryCost);
  let catches = false;
  while (!body.atEnd) {
    const at = body.offset;
    const first = body.byte();
    catches ||= first === opcode.try || first === opcode.tryTable;
    if (readMark(first, body, code, features)) continue;
    code.add(fuelPerInstruction);
    if (readControl(first, at, body, code, features)) continue;
    if (first === bulk.prefix) readBulk(at, body, code, governor, features);
    else if (first === opcode.memoryGrow) {
      body.unsigned();
      code.call(at, body.offset, governor.growMemory);
      code.recall();
    } else {
      skipImmediates(body, first, features);
      if (first === opcode.call || first === opcode.callIndirect) code.recall();
    }
  }
  return { changes: code.changes(catches), catches };
}

/**
 * Reads an instruction that only marks the target of a branch or the end of a block, which costs nothing.
 *
 * @param {number} first @param {Reader} body @param {Stretches} code @param {Features} features
 * @returns {boolean} whether it is one
 */
function readMark(first, body, code, features) {
  switch (first) {
    case opcode.end:
      code.close();
      return true;
    case opcode.delegate:
      body.unsigned();
      code.close();
      return true;
    case opcode.catch:
      body.unsigned();
      code.begin();
      return true;
    case opcode.else:
    case opcode.catchAll:
      code.begin();
      return true;
    case opcode.block:
    case opcode.try:
      skipBlockType(body, features);
      code.open();
      return true;
    case opcode.loop:
      skipBlockType(body, features);
      code.open(true);
      code.begin('charge-and-store');
      return true;
    case opcode.tryTable: {
      skipBlockType(body, features);
      const depth = code.depth();
      code.open();
      for (let clauses = body.unsigned(); clauses > 0; clauses--) code.leaveTo(depth - readClause(body));
      return true;
    }
    default:
      return false;
  }
}

/**
 * Reads an instruction after which control may be elsewhere.
 *
 * @param {number} first @param {number} at its place
 * @param {Reader} body @param {Stretches} code @param {Features} features
 * @returns {boolean} whether it is one
 */
function readControl(first, at, body, code, features) {
  switch (first) {
    case opcode.if:
      skipBlockType(body, features);
      code.open();
      code.begin();
      return true;
    case opcode.br: {
      const depth = code.depth() - body.unsigned();
      if (depth === 0) code.returnFrom(at);
      else code.branchTo(depth);
      code.end();
      return true;
    }
    case opcode.brIf:
      code.branchTo(code.depth() - body.unsigned());
      code.begin();
      return true;
    case opcode.brTable:
      // One more than the count: the default.
      for (let labels = body.unsigned(); labels >= 0; labels--) code.branchTo(code.depth() - body.unsigned());
      code.end();
      return true;
    case opcode.returnCallIndirect:
    case opcode.returnCall:
      body.unsigned();
      if (first === opcode.returnCallIndirect) body.unsigned();
      code.show();
      code.leaveTo(0);
      code.end();
      return true;
    case opcode.return:
      code.returnFrom(at);
      code.end();
      return true;
    // A trap ends the call, and code that an exception skips stays charged: see docs/fuel.md.
    case opcode.throw:
    case opcode.rethrow:
    case opcode.throwRef:
      if (first !== opcode.throwRef) body.unsigned();
      code.show();
      code.end();
      return true;
    case opcode.unreachable:
      code.end();
      return true;
    default:
      return false;
  }
}

/**
 * Reads an instruction that handles any number of bytes or elements, which the governor charges.
 *
 * @param {number} at @param {Reader} body @param {Stretches} code @param {Governor} governor @param {Features} features
 */
function readBulk(at, body, code, governor, features) {
  const second = body.unsigned();
  switch (second) {
    case bulk.memoryInit:
    case bulk.memoryCopy:
    case bulk.memoryFill:
      code.call(at, at, governor.chargeBytes);
      break;
    case bulk.tableInit:
    case bulk.tableCopy:
    case bulk.tableFill:
      code.call(at, at, governor.chargeElements);
      break;
    case bulk.tableGrow: {
      const callee = governor.growTable(body.unsigned());
      code.call(at, body.offset, callee);
      code.recall();
      return;
    }
    default:
      skipBulk(body, second, features);
      return;
  }
  skipBulk(body, second, features);
  code.recall();
}

/** `try_table` clauses from this number on name no tag. */
const catchesAllFrom = 2;

/**
 * The label that a clause branches to, counted from outside the `try_table`.
 *
 * @param {Reader} body
 */
function readClause(body) {
  if (body.byte() < catchesAllFrom) body.unsigned();
  return body.unsigned();
}
