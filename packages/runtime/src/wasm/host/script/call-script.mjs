/** @import { CompiledScript } from './compile-script.mjs' */
/** @import { Engine, EngineBounds, Started } from './engine.mjs' */
/** @import { HostVerdict } from '../../pool/host-protocol.ts' */
/** @import { End, Invoke } from './host-side.mjs' */
import { CapabilityViolated } from '../capability-violated.mjs';
import { thrownText } from '../thrown-text.mjs';
import { memoryBytesMin, OutOfFuel } from './engine.mjs';
import { failure, hostSide } from './host-side.mjs';
import { hostModule } from './imports.mjs';
import { OutOfMemory, openInterpreter } from './interpreter.mjs';
import { hostModuleSource } from './sources.mjs';

/**
 * @typedef {EngineBounds & { outputBytes: number }} ScriptBounds
 * @typedef {{
 *   verdict: HostVerdict,
 *   output: Uint8Array,
 *   fuelConsumed: number,
 *   memoryPeakBytes: number,
 * }} ScriptAnswer
 */

const nothing = new Uint8Array();

/**
 * Calls the script's default export with the JSON input, in a new world. The output is JSON, and
 * empty unless the script returned. Never throws.
 *
 * `invoke` handles the script's host functions: it takes and returns JSON values. It throws
 * `CapabilityViolated`, which ends the call, or an error whose message the script sees.
 *
 * @param {Engine} engine
 * @param {CompiledScript} script
 * @param {Uint8Array} input
 * @param {ScriptBounds} bounds
 * @param {Pick<Console, 'info'>} log
 * @param {Invoke} invoke
 * @returns {Promise<ScriptAnswer>}
 */
export async function callScript(engine, { entry, modules }, input, bounds, log, invoke) {
  if (bounds.memoryBytes < memoryBytesMin) {
    return { verdict: { status: 'out-of-memory' }, output: nothing, fuelConsumed: 0, memoryPeakBytes: 0 };
  }
  const call = hostSide(entry, input, bounds.outputBytes, log, invoke);
  /** @type {Started | undefined} */
  let started;
  /** @type {unknown} */
  let thrown;
  try {
    started = await engine.start(bounds);
    const world = openInterpreter(started, modules);
    world.install('ambit:host', call.answer);
    world.run(hostModule, hostModuleSource);
    while (call.end === undefined && world.runJob());
  } catch (error) {
    thrown = error;
  }
  const end =
    endOf(started, thrown) ?? call.end ?? failure('the default export returned a promise that never settles');
  return { output: nothing, ...end, ...usageOf(started, thrown, bounds) };
}

/**
 * An end that the script cannot change; `undefined` if there was none.
 *
 * @param {Started | undefined} started
 * @param {unknown} thrown an error from the world or the host
 * @returns {End | undefined}
 */
function endOf(started, thrown) {
  if (thrown instanceof CapabilityViolated) {
    const { capability, detail, item } = thrown;
    return { verdict: { status: 'capability-violated', capability, detail, item } };
  }
  if (thrown instanceof OutOfFuel || (started !== undefined && started.fuelLeft() < 0n))
    return { verdict: { status: 'out-of-fuel' } };
  if (thrown instanceof OutOfMemory || started?.memory.exhausted)
    return { verdict: { status: 'out-of-memory' } };
  if (thrown === undefined) return undefined;
  return failure(thrown instanceof RangeError ? 'RangeError: call stack too deep' : thrownText(thrown));
}

/**
 * @param {Started | undefined} started
 * @param {unknown} thrown
 * @param {ScriptBounds} bounds
 */
function usageOf(started, thrown, { fuel }) {
  if (thrown instanceof OutOfFuel) return { fuelConsumed: Number(fuel), memoryPeakBytes: memoryBytesMin };
  if (started === undefined) return { fuelConsumed: 0, memoryPeakBytes: 0 };
  const left = started.fuelLeft();
  return {
    fuelConsumed: Number(BigInt(fuel) - (left < 0n ? 0n : left)),
    memoryPeakBytes: started.memory.buffer.byteLength,
  };
}
