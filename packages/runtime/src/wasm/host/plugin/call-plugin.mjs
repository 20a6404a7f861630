/** @import { createPlugin as CreatePlugin } from '@extism/extism' */
/** @import { CallEnd } from '../entries.mjs' */
/** @import { CommandBounds } from '../wasi/run-program.mjs' */
import { CallEnding } from '../call-ending.mjs';
import { MeteredInstance } from '../metered-instance.mjs';
import { verdictOn } from '../verdict-on.mjs';
import { boundedFunctions } from './bounded-functions.mjs';
import { bridge, extismNamespace } from './bridge.mjs';
import { checkLinks } from './check-links.mjs';
import { runDirectly, runsDirectly } from './run-directly.mjs';
import { runOverBridge } from './run-over-bridge.mjs';
import { whyNoPlugin } from './why-no-plugin.mjs';

const nothing = new Uint8Array();

/**
 * An Extism plug-in that can be called: `called` is the name of its function, `bridge` the module
 * between Extism and a plug-in that does not run directly, `imports` the modules it imports from,
 * and `checked` whether its types were checked.
 *
 * @typedef {{
 *   module: WebAssembly.Module,
 *   called: string,
 *   bridge: WebAssembly.Module,
 *   direct: boolean,
 *   imports: ReadonlySet<string>,
 *   checked: boolean,
 * }} CompiledPlugin
 */

/**
 * The parts of a call; `begin` sets the budget of its only instance.
 *
 * @typedef {{
 *   createPlugin: typeof CreatePlugin,
 *   compiled: CompiledPlugin,
 *   input: Uint8Array,
 *   bounds: CommandBounds,
 *   log: Console,
 *   invoke: (name: string, args: unknown[]) => unknown,
 *   ending: CallEnding,
 *   blocks: ReturnType<typeof boundedFunctions>,
 *   begin: (instance: WebAssembly.Instance) => MeteredInstance,
 * }} CallOfPlugin
 *
 * @typedef {{ output: Uint8Array | undefined, returned: number }} Returned the function's
 * result, 0 if it has none, and the output that it set
 */

/**
 * Prepares a module as an Extism plug-in, or returns why it cannot be called.
 *
 * @param {WebAssembly.Module} module
 * @param {string} [called]
 * @returns {CompiledPlugin | { problem: string }}
 */
export function compilePlugin(module, called = 'run') {
  const problem = whyNoPlugin(module, called);
  if (problem !== undefined) return { problem };
  const wanted = WebAssembly.Module.imports(module);
  const imports = new Set(wanted.map(({ module: from }) => from));
  const ofExtism = wanted.filter(({ module: from }) => from === extismNamespace).map(({ name }) => name);
  return {
    module,
    called,
    bridge: bridge(new Set(ofExtism)),
    direct: runsDirectly(module),
    imports,
    checked: false,
  };
}

/**
 * Calls a plug-in's function once, in a new instance. `invoke` handles its imports from
 * `extism:host/user`. Never throws.
 *
 * @param {typeof CreatePlugin} createPlugin
 * @param {CompiledPlugin} compiled
 * @param {Uint8Array} input
 * @param {CommandBounds} bounds
 * @param {Console} log
 * @param {(name: string, args: unknown[]) => unknown} invoke
 * @returns {Promise<CallEnd>}
 */
export async function callPlugin(createPlugin, compiled, input, bounds, log, invoke) {
  const { memoryBytes, outputBytes } = bounds;
  const ending = new CallEnding(() => skill?.stop());
  const blocks = boundedFunctions(memoryBytes - input.length);
  /** @type {MeteredInstance | undefined} */
  let skill;
  const begin = (/** @type {WebAssembly.Instance} */ instance) => {
    skill = new MeteredInstance(instance, bounds);
    return skill;
  };

  /** @returns {Promise<Pick<CallEnd, 'verdict' | 'output'>>} */
  const called = async () => {
    try {
      if (!compiled.checked) checkLinks(compiled);
      compiled.checked = true;
      const run = compiled.direct ? runDirectly : runOverBridge;
      const call = { createPlugin, compiled, input, bounds, log, invoke, ending, blocks, begin };
      const { output, returned } = await run(call);
      if (ending.reason !== undefined) throw ending.reason;
      if (returned !== 0) return failed(`${compiled.called} returned ${returned} and set no error`);
      if (output === undefined || output.length === 0)
        return { verdict: { status: 'returned-nothing' }, output: nothing };
      return outputOf(output, outputBytes);
    } catch (error) {
      return { verdict: verdictOnCall(ending.reason ?? error, skill, bounds, compiled), output: nothing };
    }
  };

  return {
    ...(await called()),
    fuelConsumed: skill?.fuelConsumed ?? null,
    memoryPeakBytes: (skill?.memoryBytes ?? 0) + blocks.peakBytes,
  };
}

/**
 * @param {Uint8Array} output
 * @param {number} outputBytes
 * @returns {Pick<CallEnd, 'verdict' | 'output'>}
 */
function outputOf(output, outputBytes) {
  if (output.length > outputBytes) return { verdict: { status: 'output-too-large' }, output: nothing };
  return { verdict: { status: 'returned' }, output };
}

/**
 * @param {string} trap
 * @returns {Pick<CallEnd, 'verdict' | 'output'>}
 */
function failed(trap) {
  return { verdict: { status: 'failed', trap }, output: nothing };
}

/**
 * @param {unknown} error
 * @param {MeteredInstance | undefined} skill
 * @param {CommandBounds} bounds
 * @param {CompiledPlugin} compiled
 * @returns {CallEnd['verdict']}
 */
function verdictOnCall(error, skill, { memoryBytes }, { called }) {
  if (error instanceof WebAssembly.LinkError) {
    return {
      status: 'refused',
      problem: `cannot be linked: its ${called} takes nothing and returns an i32 or nothing, its memory is of 32 bits, and its imports have the types of extism:host/env and extism:host/user (${error.message})`,
    };
  }
  const verdict = verdictOn(error, skill, memoryBytes);
  if (verdict.status !== 'failed') return verdict;
  return { ...verdict, trap: verdict.trap.replace(/^Plugin-originated error: /, '') };
}
