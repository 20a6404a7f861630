/** @import { Features } from './types.mjs' */
/** @import { Governor } from './governor.mjs' */
/** @import { Reader } from './reader.mjs' */
import { fuelPerInstruction } from './cost-model.mjs';
import { skipBulk, skipImmediates } from './immediates.mjs';
import { bulk, opcode } from './opcodes.mjs';
import { skipBlockType } from './types.mjs';

/**
 * A replacement for the bytes from `at` to `until`, inside `loop`:
 *
 * - `charge`: a charge of `number` for a stretch of code.
 * - `charge-and-store`: the same, where control may come out of a loop that charges only the local. It
 *   stores the fuel even if `number` is 0.
 * - `call`: a call of the function `number`.
 * - `recall`, after code that may have used fuel elsewhere: reloads the remaining fuel.
 * - `store`, before a return: stores the fuel if that leaves a loop that charges only the local.
 *
 * @typedef {'charge' | 'charge-and-store' | 'call' | 'recall' | 'store'} What
 *
 * @typedef {{ at: number, until: number, what: What, number: number, loop: Loop }} Change
 */

/**
 * A block, loop, if, try or the function itself while it is read. `before` is the charge that ran
 * before it. `leaves` is the depth of the outermost frame to whose end or head a branch inside
 * goes. `stores` is whether such a branch to its end may leave a loop that charges only the local.
 *
 * @typedef {{ depth: number, before: Change, leaves: number, isLoop: boolean, stores: boolean }}
 *   Frame
 */

/**
 * A loop, or the function itself. `shows` is whether code inside needs the fuel in the global: a
 * call, growth, an exception, or a return that depends on a condition. `local` is whether the loop,
 * or one around it, charges only the local.
 *
 * @typedef {{ depth: number, outer: Loop | undefined, shows: boolean, local: boolean }} Loop
 */

/**
 * Finds the changes that make a function's code pay for itself. A stretch of code that runs through
 * from its first instruction is charged at its start. A stretch ends at a branch target, at the
 * head of a loop and at the start of an arm. After a block that no branch leaves except to its own
 * end, the stretch from before the block continues, because control that enters it also leaves it
 * there.
 *
 * The remaining fuel is in a local and a global. A loop in which nothing looks at the global charges
 * only the local, and stores it into the global wherever control leaves the loop.
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
  /** @type {Change[]} */
  const changes = [];
  let catches = false;
  /** @type {Loop} */
  let loop = { depth: 0, outer: undefined, shows: true, local: false };
  const loops = [loop];
  /** @param {What} what @returns {Change} */
  const here = (what) => ({ at: body.offset, until: body.offset, what, number: 0, loop });
  /** @param {What} what */
  const stretch = (what = 'charge') => {
    const change = here(what);
    changes.push(change);
    return change;
  };
  const recall = () => {
    loop.shows = true;
    changes.push(here('recall'));
  };
  /** @param {number} at @param {number} until @param {number} callee */
  const call = (at, until, callee) => {
    loop.shows = true;
    changes.push({ at, until, what: 'call', number: callee, loop });
  };
  /** Collects the cost of unreachable code, which is never charged. @type {Change} */
  const unreachable = here('charge');

  recall();
  let current = stretch();
  current.number = entryCost;
  /** @type {Frame} */
  let frame = { depth: 0, before: current, leaves: 0, isLoop: true, stores: false };
  /** The frames around the code, by depth. */
  const frames = [frame];

  const open = (isLoop = false) => {
    const depth = frames.length;
    frame = { depth, before: current, leaves: depth, isLoop, stores: false };
    frames.push(frame);
  };
  const openLoop = () => {
    open(true);
    loop = { depth: frame.depth, outer: loop, shows: false, local: false };
    loops.push(loop);
  };
  const close = () => {
    const { depth, before, leaves, isLoop, stores } = frame;
    frames.pop();
    const parent = frames.at(-1);
    if (parent === undefined) return;
    frame = parent;
    frame.leaves = Math.min(frame.leaves, leaves);
    const mayBeLocal = isLoop && !loop.shows;
    if (isLoop) closeLoop();
    const after = stores || mayBeLocal ? stretch('charge-and-store') : undefined;
    current = leaves < depth ? (after ?? stretch()) : before;
  };
  const closeLoop = () => {
    if (loop.outer === undefined) return;
    loop.outer.shows ||= loop.shows;
    loop = loop.outer;
  };
  /** @param {number} depth */
  const leaveTo = (depth) => {
    frame.leaves = Math.min(frame.leaves, depth);
  };
  /** The head of a loop stores, and so does the end of a block. @param {number} depth */
  const branchTo = (depth) => {
    leaveTo(depth);
    const target = frames[depth];
    if (depth === 0) loop.shows = true;
    else if (target !== undefined && depth < loop.depth) target.stores ||= !(target.isLoop || loop.shows);
  };
  /** @param {number} at of the instruction */
  const returnFrom = (at) => {
    leaveTo(0);
    if (!loop.shows) changes.push({ at, until: at, what: 'store', number: 0, loop });
  };

  while (!body.atEnd) {
    const at = body.offset;
    const first = body.byte();
    switch (first) {
      // Instructions that only mark the target of a branch or the end of a block cost nothing.
      case opcode.end:
        close();
        continue;
      case opcode.delegate:
        body.unsigned();
        close();
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
        openLoop();
        current = stretch('charge-and-store');
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
      case opcode.br: {
        const depth = frame.depth - body.unsigned();
        if (depth === 0) returnFrom(at);
        else branchTo(depth);
        current = unreachable;
        break;
      }
      case opcode.brIf:
        branchTo(frame.depth - body.unsigned());
        current = stretch();
        break;
      case opcode.brTable:
        // One more than the count: the default.
        for (let labels = body.unsigned(); labels >= 0; labels--) branchTo(frame.depth - body.unsigned());
        current = unreachable;
        break;
      case opcode.returnCallIndirect:
        body.unsigned();
        body.unsigned();
        loop.shows = true;
        leaveTo(0);
        current = unreachable;
        break;
      case opcode.returnCall:
        body.unsigned();
        loop.shows = true;
        leaveTo(0);
        current = unreachable;
        break;
      case opcode.return:
        returnFrom(at);
        current = unreachable;
        break;
      // A trap ends the call, and code that an exception skips stays charged: see docs/fuel.md.
      case opcode.throw:
      case opcode.rethrow:
        body.unsigned();
        loop.shows = true;
        current = unreachable;
        break;
      case opcode.throwRef:
        loop.shows = true;
        current = unreachable;
        break;
      case opcode.unreachable:
        current = unreachable;
        break;
      case opcode.memoryGrow:
        body.unsigned();
        call(at, body.offset, governor.growMemory);
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
  // After an exception, the local may be stale. Outer loops come before the loops inside them.
  if (!catches) for (const one of loops) one.local = one.outer?.local || !one.shows;
  return { changes, catches };

  /** @param {number} at */
  function meterBulk(at) {
    const second = body.unsigned();
    switch (second) {
      case bulk.memoryInit:
      case bulk.memoryCopy:
      case bulk.memoryFill:
        call(at, at, governor.chargeBytes);
        break;
      case bulk.tableInit:
      case bulk.tableCopy:
      case bulk.tableFill:
        call(at, at, governor.chargeElements);
        break;
      case bulk.tableGrow: {
        const callee = governor.growTable(body.unsigned());
        call(at, body.offset, callee);
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
