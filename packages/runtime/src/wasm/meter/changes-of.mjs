/** @import { Features } from './types.mjs' */
/** @import { Governor } from './governor.mjs' */
/** @import { Reader } from './reader.mjs' */
import { fuelPerInstruction } from './cost-model.mjs';
import { skipBulk, skipImmediates } from './immediates.mjs';
import { bulk, opcode } from './opcodes.mjs';
import { skipBlockType } from './types.mjs';

/**
 * A replacement for the bytes from `at` to `until`: a charge of `number` for a stretch of code, a
 * call of the function `number`, or, after code that may have used fuel elsewhere, `recall`, which
 * reloads the remaining fuel.
 *
 * @typedef {{ at: number, until: number, what: 'charge' | 'call' | 'recall', number: number }}
 *   Change
 */

/**
 * A block, loop, if, try or the function itself while it is read. `before` is the charge that ran
 * before it. `leaves` is the depth of the outermost frame to whose end or head a branch inside
 * goes.
 *
 * @typedef {{ parent: Frame | undefined, depth: number, before: Change, leaves: number }} Frame
 */

/**
 * Finds the changes that make a function's code pay for itself. A stretch of code that runs through
 * from its first instruction is charged at its start. A stretch ends at a branch target, at the
 * head of a loop and at the start of an arm. After a block that no branch leaves except to its own
 * end, the stretch from before the block continues, because control that enters it also leaves it
 * there.
 *
 * @param {Reader} body of a valid module, from its first instruction on
 * @param {number} entryCost what the first stretch costs besides its instructions
 * @param {Governor} governor
 * @param {Features} features
 * @returns {{ changes: Change[], catches: boolean }} the changes in the order of their places;
 *   whether control can
 * come back to the function by an exception, at places that are not told apart here
 */
export function changesOf(body, entryCost, governor, features) {
  /** @type {Change[]} */
  const changes = [];
  let catches = false;
  /** @param {'charge' | 'recall'} what @returns {Change} */
  const here = (what) => ({ at: body.offset, until: body.offset, what, number: 0 });
  const stretch = () => {
    const change = here('charge');
    changes.push(change);
    return change;
  };
  const recall = () => changes.push(here('recall'));
  /** Collects the cost of unreachable code, which is never charged. @type {Change} */
  const unreachable = here('charge');

  recall();
  let current = stretch();
  current.number = entryCost;
  /** @type {Frame} */
  let frame = { parent: undefined, depth: 0, before: current, leaves: 0 };

  const open = () => {
    frame = { parent: frame, depth: frame.depth + 1, before: current, leaves: frame.depth + 1 };
  };
  /** @param {Frame} closed */
  const close = ({ parent, depth, before, leaves }) => {
    if (parent === undefined) return;
    current = leaves < depth ? stretch() : before;
    parent.leaves = Math.min(parent.leaves, leaves);
    frame = parent;
  };
  /** @param {number} depth */
  const leaveTo = (depth) => {
    frame.leaves = Math.min(frame.leaves, depth);
  };

  while (!body.atEnd) {
    const at = body.offset;
    const first = body.byte();
    switch (first) {
      // Instructions that only mark the target of a branch or the end of a block cost nothing.
      case opcode.end:
        close(frame);
        continue;
      case opcode.delegate:
        body.unsigned();
        close(frame);
        continue;
      case opcode.catch:
        body.unsigned();
        current = stretch();
        continue;
      case opcode.else:
      case opcode.catchAll:
        current = stretch();
        continue;
      case opcode.block:
        skipBlockType(body, features);
        open();
        continue;
      case opcode.try:
        catches = true;
        skipBlockType(body, features);
        open();
        continue;
      case opcode.loop:
        skipBlockType(body, features);
        open();
        current = stretch();
        continue;
      case opcode.tryTable: {
        catches = true;
        skipBlockType(body, features);
        const { depth } = frame;
        open();
        for (let clauses = body.unsigned(); clauses > 0; clauses--) leaveTo(depth - readClause(body));
        continue;
      }
    }
    current.number += fuelPerInstruction;
    switch (first) {
      case opcode.if:
        skipBlockType(body, features);
        open();
        current = stretch();
        break;
      case opcode.br:
        leaveTo(frame.depth - body.unsigned());
        current = unreachable;
        break;
      case opcode.brIf:
        leaveTo(frame.depth - body.unsigned());
        current = stretch();
        break;
      case opcode.brTable:
        // One more than the count: the default.
        for (let labels = body.unsigned(); labels >= 0; labels--) leaveTo(frame.depth - body.unsigned());
        current = unreachable;
        break;
      case opcode.returnCallIndirect:
        body.unsigned();
        body.unsigned();
        leaveTo(0);
        current = unreachable;
        break;
      case opcode.returnCall:
        body.unsigned();
        leaveTo(0);
        current = unreachable;
        break;
      case opcode.return:
        leaveTo(0);
        current = unreachable;
        break;
      // A trap ends the call, and code that an exception skips stays charged: see docs/fuel.md.
      case opcode.throw:
      case opcode.rethrow:
        body.unsigned();
        current = unreachable;
        break;
      case opcode.unreachable:
      case opcode.throwRef:
        current = unreachable;
        break;
      case opcode.memoryGrow:
        body.unsigned();
        changes.push({ at, until: body.offset, what: 'call', number: governor.growMemory });
        recall();
        break;
      case opcode.call:
      case opcode.callIndirect:
        skipImmediates(body, first, features);
        recall();
        break;
      case bulk.prefix:
        meterBulk(at);
        break;
      default:
        skipImmediates(body, first, features);
    }
  }
  return { changes, catches };

  /** @param {number} at */
  function meterBulk(at) {
    const second = body.unsigned();
    switch (second) {
      case bulk.memoryInit:
      case bulk.memoryCopy:
      case bulk.memoryFill:
        changes.push({ at, until: at, what: 'call', number: governor.chargeBytes });
        break;
      case bulk.tableInit:
      case bulk.tableCopy:
      case bulk.tableFill:
        changes.push({ at, until: at, what: 'call', number: governor.chargeElements });
        break;
      case bulk.tableGrow: {
        const callee = governor.growTable(body.unsigned());
        changes.push({ at, until: body.offset, what: 'call', number: callee });
        recall();
        return;
      }
      default:
        skipBulk(body, second, features);
        return;
    }
    skipBulk(body, second, features);
    recall();
  }
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
