/** @import { Change } from './stretches.mjs' */
/** @import { Features } from './types.mjs' */
/** @import { Governor } from './governor.mjs' */
/** @import { Reader } from './reader.mjs' */
/** @import { Writer } from './writer.mjs' */
import { changesOf } from './changes-of.mjs';
import { localsPerFuel } from './cost-model.mjs';
import { opcode, type } from './opcodes.mjs';
import { skipValueType } from './types.mjs';

/**
 * Writes a function's body with charges, and with an additional local for the remaining fuel. The
 * local is up to date at every charge, so that no charge waits for memory. The global is up to date
 * wherever something may look at it, and after the fuel ran out. After another trap in a loop that
 * charges only the local, it has the fuel from before the loop.
 *
 * @param {Reader} body of a valid module: locals, code, `end`
 * @param {number} parameters
 * @param {Governor} governor
 * @param {Features} features
 * @param {Writer} writer
 */
export function meterBody(body, parameters, governor, features, writer) {
  const declared = readLocals(body, features);
  const codeStart = body.offset;
  const entryCost = Math.floor(declared.count / localsPerFuel);
  const { changes, catches } = changesOf(body, entryCost, governor, features);
  writer.unsigned(declared.groups + 1);
  writer.bytes(declared.bytes);
  writer.bytes([1, type.i64]);
  const left = parameters + declared.count;
  let copied = codeStart;
  for (const change of changes) {
    if (!isWritten(change, catches)) continue;
    const { at, until, what, number, loop } = change;
    writer.copy(body.bytes, copied, at);
    copied = until;
    switch (what) {
      case 'charge':
      case 'charge-and-store':
        // Control may have come through an exception.
        if (catches) governor.writeRecall(left, writer);
        if (number === 0) governor.writeStore(left, writer);
        else if (!loop.local) governor.writeCharge(number, left, writer);
        else governor.writeLocalCharge(number, left, writer);
        break;
      case 'store':
        governor.writeStore(left, writer);
        break;
      case 'recall':
        governor.writeRecall(left, writer);
        break;
      case 'call':
        writer.bytes([opcode.call]);
        writer.unsigned(number);
        break;
    }
  }
  writer.copy(body.bytes, copied, body.bytes.length);
}

/**
 * @param {Change} change
 * @param {boolean} catches
 */
function isWritten({ what, number, loop: { local } }, catches) {
  switch (what) {
    case 'charge':
      return number > 0;
    case 'charge-and-store':
      return number > 0 || !(local || catches);
    case 'store':
      return local;
    case 'recall':
      return !catches;
    case 'call':
      return true;
  }
}

/**
 * @param {Reader} body
 * @param {Features} features
 */
function readLocals(body, features) {
  const groups = body.unsigned();
  const start = body.offset;
  let count = 0;
  for (let group = 0; group < groups; group++) {
    count += body.unsigned();
    skipValueType(body, features);
  }
  return { groups, count, bytes: body.bytes.subarray(start, body.offset) };
}
