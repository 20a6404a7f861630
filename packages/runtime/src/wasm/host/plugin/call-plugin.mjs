/** @import { CallContext, createPlugin as CreatePlugin } from '@extism/extism' */
/** @import { CallEnd } from '../entries.mjs' */
/** @import { CommandBounds } from '../wasi/call-command.mjs' */
import { CallEnding } from '../call-ending.mjs';
import { MeteredInstance } from '../metered-instance.mjs';
import { verdictOn } from '../verdict-on.mjs';
import { GuestMemory } from '../wasi/guest-memory.mjs';
import { loggedLines, readableBytes } from '../wasi/streams.mjs';
import { wasiFunctions, wasiNamespace } from '../wasi/wasi-functions.mjs';
import { boundedFunctions } from './bounded-functions.mjs';
import { bridge, bridgeNamespace, extismNamespace, httpRequest } from './bridge.mjs';
import { typeCheck } from './type-check.mjs';
import { userFunctions, userNamespace } from './user-functions.mjs';
import { whyNoPlugin } from './why-no-plugin.mjs';

const pageBytes = 64 * 1024;
const variableBytesMax = 1024 * 1024;
const nothing = new Uint8Array();

/**
 * An Extism plug-in that can be called: `bridge` is what Extism gets in its place, `imports` what it imports by module, and
 * `checked` whether its types have been found right.
 *
 * @typedef {{
 *   module: WebAssembly.Module,
 *   bridge: WebAssembly.Module,
 *   imports: ReadonlySet<string>,
 *   checked: boolean,
 * }} CompiledPlugin
 */

/**
 * A module as an Extism plug-in, or why it is none that can be called here.
 *
 * @param {WebAssembly.Module} module
 * @returns {CompiledPlugin | { problem: string }}
 */
export function compilePlugin(module) {
  const problem = whyNoPlugin(module);
  if (problem !== undefined) return { problem };
  const imports = WebAssembly.Module.imports(module);
  const wanted = imports.filter(({ module: from }) => from === extismNamespace).map(({ name }) => name);
  return {
    module,
    bridge: bridge(new Set(wanted)),
    imports: new Set(imports.map(({ module: from }) => from)),
    checked: false,
  };
}

/**
 * Calls a plug-in's `run` once, in an instance of its own. `invoke` is what its imports from `extism:host/user` call. What
 * it prints by WASI goes to the log. Never throws.
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
  const printed = compiled.imports.has(wasiNamespace) ? printing(compiled, bounds, log, ending) : undefined;
  /** @type {WebAssembly.ModuleImports} */
  let extism = {};
  /** @type {MeteredInstance | undefined} */
  let skill;
  let returned = 0;
  const run = (/** @type {CallContext} */ context) => {
    /** @type {WebAssembly.Imports} */
    const imports = { [extismNamespace]: extism };
    if (printed !== undefined) imports[wasiNamespace] = printed.functions;
    if (compiled.imports.has(userNamespace)) {
      const store = (/** @type {Uint8Array} */ bytes) => blocks.store(context, bytes);
      imports[userNamespace] = ending.endedBy(userFunctions(() => context, store, invoke));
    }
    skill = new MeteredInstance(compiled.module, imports, bounds);
    printed?.memory.attach(skill.exports['memory']);
    check(compiled, skill);
    initialise(compiled, skill);
    returned = skill.call('run');
  };

  /** @returns {Promise<Pick<CallEnd, 'verdict' | 'output'>>} */
  const called = async () => {
    try {
      const plugin = await createPlugin(
        { wasm: [{ module: compiled.bridge, name: 'main' }] },
        {
          // All of them, always: what is left out here, a manifest could supply.
          useWasi: false,
          enableWasiOutput: false,
          runInWorker: false,
          allowedHosts: [],
          allowedPaths: {},
          // Extism asks with `in`, and an object of the usual kind has a `constructor`.
          config: Object.create(null),
          fetch: () => Promise.reject(new Error('there is no network')),
          allowHttpResponseHeaders: false,
          timeoutMs: null,
          memory: {
            maxPages: Math.ceil(memoryBytes / pageBytes) + 1,
            maxHttpResponseBytes: 0,
            maxVarBytes: Math.min(variableBytesMax, memoryBytes),
          },
          functions: { [extismNamespace]: blocks.functions, [bridgeNamespace]: { run } },
          logger: log,
          logLevel: 'trace',
        },
      );
      extism = { ...(await plugin.getInstance()).exports, http_request: httpRequest };
      const output = await plugin.call('run', input);
      if (ending.reason !== undefined) throw ending.reason;
      if (returned !== 0) return failed(`run returned ${returned} and set no error`);
      return outputOf(output?.bytes() ?? nothing, outputBytes);
    } catch (error) {
      return { verdict: verdictOnCall(ending.reason ?? error, skill, memoryBytes), output: nothing };
    } finally {
      printed?.flush();
    }
  };

  return {
    ...(await called()),
    fuelConsumed: skill?.fuelConsumed ?? null,
    memoryPeakBytes: (skill?.memoryBytes ?? 0) + blocks.peakBytes,
  };
}

/**
 * What a plug-in has of WASI: what it prints goes to the log, and there is nothing to read.
 *
 * @param {CompiledPlugin} compiled
 * @param {CommandBounds} bounds
 * @param {Console} log
 * @param {CallEnding} ending
 */
function printing({ module }, { name, env }, log, ending) {
  const lines = loggedLines(log);
  const memory = new GuestMemory();
  const world = { args: [name], env, stdin: readableBytes(nothing), stdout: lines, stderr: lines };
  return { memory, flush: lines.flush, functions: ending.endedBy(wasiFunctions(module, memory, world)) };
}

/**
 * Throws a `LinkError` for a plug-in whose `run` or memory is not of the right type, before anything of it runs.
 *
 * @param {CompiledPlugin} compiled
 * @param {MeteredInstance} skill
 */
function check(compiled, skill) {
  if (compiled.checked) return;
  new WebAssembly.Instance(typeCheck(compiled.module), { skill: skill.exports });
  compiled.checked = true;
}

/**
 * Makes a plug-in ready as Extism's own runtimes do: the start function, then `_initialize`; `_start` in a module without
 * WASI, where it only sets variables; and the runtime of Haskell.
 *
 * @param {CompiledPlugin} compiled
 * @param {MeteredInstance} skill
 */
function initialise({ imports }, skill) {
  skill.start();
  skill.call('_initialize');
  if (!imports.has(wasiNamespace)) skill.call('_start');
  skill.call('hs_init');
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
 * @param {number} memoryBytes
 * @returns {CallEnd['verdict']}
 */
function verdictOnCall(error, skill, memoryBytes) {
  if (error instanceof WebAssembly.LinkError) {
    return {
      status: 'refused',
      problem: `cannot be linked: its run takes nothing and returns an i32, its memory is of 32 bits, and its imports have the types of extism:host/env and extism:host/user (${error.message})`,
    };
  }
  const verdict = verdictOn(error, skill, memoryBytes);
  if (verdict.status !== 'failed') return verdict;
  return { ...verdict, trap: verdict.trap.replace(/^Plugin-originated error: /, '') };
}
