// The program of a host process: one call after another, each in a fresh instance, until its stdin ends. Plain
// JavaScript, because to strip types at each start would cost more than all the rest of it.
/** @import { CallFrame, DoneFrame } from '../pool/host-protocol.ts' */
import { boundEngine } from './bound-engine.mjs';
import { callLog } from './call-log.mjs';
import { openEntries } from './entries.mjs';
import { readFrame, writeFrame } from './frames.mjs';
import { hostFunctions } from './host-functions.mjs';
import { toldProgress } from './told-progress.mjs';

// Extism asks of what it loads whether it is a Response, and at that Node loads its client for HTTP, for as long as all
// the rest takes. There is no network here to have a response from.
globalThis.Response = /** @type {typeof Response} */ (class Response {});

const [extismPath, quickjsFolder, memoryBytes] = process.argv.slice(2);
if (extismPath === undefined || quickjsFolder === undefined || memoryBytes === undefined) {
  throw new Error('usage: main.mjs EXTISM QUICKJS MEMORY_BYTES');
}
boundEngine(Number(memoryBytes));
const entries = await openEntries({ extismPath, quickjsFolder });
/** What instances have held since the engine was last made to give it back. */
let heldBytes = 0;
const heldBytesMost = 128 * 1024 * 1024;

writeFrame({ type: 'ready' });
for (let frame = readFrame(); frame !== undefined; frame = readFrame()) {
  const { done, output } = await answer(frame.header, frame.body);
  heldBytes += done.memoryPeakBytes + frame.body.length + output.length;
  // The engine does not know how much memory an instance stands for. Before the answer: it is this call's work.
  if (heldBytes > heldBytesMost) {
    heldBytes = 0;
    globalThis.gc?.();
  }
  writeFrame(done, output);
}

/**
 * @param {CallFrame} call
 * @param {Buffer} body
 * @returns {Promise<{ done: DoneFrame, output: Uint8Array }>}
 */
async function answer({ key, drop, entry, inputBytes, bounds, world }, body) {
  for (const each of drop) entries.drop(each);
  const inputAt = body.length - inputBytes;
  const problem = entry === undefined ? undefined : await entries.load(key, entry, body.subarray(0, inputAt));
  if (problem !== undefined) {
    return {
      done: {
        type: 'done',
        verdict: { status: 'refused', problem },
        fuelConsumed: null,
        memoryPeakBytes: 0,
      },
      output: new Uint8Array(),
    };
  }
  // In a buffer of its own, so that Extism takes it as it is.
  const input = new Uint8Array(body.subarray(inputAt));
  const log = callLog(bounds.outputBytes);
  const progress = toldProgress(log);
  const { verdict, output, fuelConsumed, memoryPeakBytes } = await entries.call(
    key,
    input,
    { ...bounds, name: world.skillId, env: world.env },
    log,
    hostFunctions(world, progress.tell),
  );
  progress.flush();
  return { done: { type: 'done', verdict, fuelConsumed, memoryPeakBytes }, output };
}
