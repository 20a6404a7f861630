/** @import { Reader } from './reader.mjs' */

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
 * The stretches of a function's code, which is read instruction by instruction. A stretch runs through from its first
 * instruction, and is charged at its start. It ends at a branch target, at the head of a loop and at the start of an arm. After
 * a block that no branch leaves except to its own end, the stretch from before the block continues, because control that enters
 * it also leaves it there.
 *
 * The remaining fuel is in a local and a global. A loop in which nothing looks at the global charges
 * only the local, and stores it into the global wherever control leaves the loop.
 *
 * @param {Reader} body which has read up to the place of the next change
 * @param {number} entryCost what the first stretch costs besides its instructions
 */
export function stretches(body, entryCost) {
  /** @type {Change[]} */
  const changes = [];
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
  /** Collects the cost of unreachable code, which is never charged. @type {Change} */
  const unreachable = here('charge');
  changes.push(here('recall'));
  let current = stretch();
  current.number = entryCost;
  /** @type {Frame} */
  let frame = { depth: 0, before: current, leaves: 0, isLoop: true, stores: false };
  /** The frames around the code, by depth. */
  const frames = [frame];
  const closeLoop = () => {
    if (loop.outer === undefined) return;
    loop.outer.shows ||= loop.shows;
    loop = loop.outer;
  };

  return {
    /** The number of blocks around the code. */
    depth: () => frame.depth,
    /** @param {number} cost */
    add(cost) {
      current.number += cost;
    },
    /** Begins a stretch. @param {What} [what] */
    begin(what) {
      current = stretch(what);
    },
    /** The code after this is unreachable. */
    end() {
      current = unreachable;
    },
    open(isLoop = false) {
      const depth = frames.length;
      frame = { depth, before: current, leaves: depth, isLoop, stores: false };
      frames.push(frame);
      if (!isLoop) return;
      loop = { depth, outer: loop, shows: false, local: false };
      loops.push(loop);
    },
    close() {
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
    },
    /** @param {number} depth */
    leaveTo(depth) {
      frame.leaves = Math.min(frame.leaves, depth);
    },
    /** The head of a loop stores, and so does the end of a block. @param {number} depth */
    branchTo(depth) {
      this.leaveTo(depth);
      const target = frames[depth];
      if (depth === 0) loop.shows = true;
      else if (target !== undefined && depth < loop.depth) target.stores ||= !(target.isLoop || loop.shows);
    },
    /** @param {number} at of the instruction */
    returnFrom(at) {
      this.leaveTo(0);
      if (!loop.shows) changes.push({ at, until: at, what: 'store', number: 0, loop });
    },
    /** The code looks at the fuel in the global. */
    show() {
      loop.shows = true;
    },
    recall() {
      loop.shows = true;
      changes.push(here('recall'));
    },
    /** @param {number} at @param {number} until @param {number} callee */
    call(at, until, callee) {
      loop.shows = true;
      changes.push({ at, until, what: 'call', number: callee, loop });
    },
    /** The changes in the order of their places. @param {boolean} catches see `changesOf` */
    changes(catches) {
      // After an exception, the local may be stale. Outer loops come before the loops inside them.
      if (!catches) for (const one of loops) one.local = one.outer?.local || !one.shows;
      return changes;
    },
  };
}
