/** @import { EntryParts, HostVerdict } from '../pool/host-protocol.ts' */
/** @import { CallLog } from './call-log.mjs' */
/** @import { CommandBounds } from './wasi/run-program.mjs' */
/** @import { Change } from './wasi/files/workspace-changes.mjs' */
import { pathToFileURL } from 'node:url';
import { meterModule } from '../meter/meter-module.mjs';
import { skillFiles } from './host-functions.mjs';
import { kindOfEntry } from './kind-of-entry.mjs';
import { callPlugin, compilePlugin } from './plugin/call-plugin.mjs';
import { callPython } from './python/call-python.mjs';
import { loadPython } from './python/load-python.mjs';
import { filesFrom, modulesOf } from './python/skill-modules.mjs';
import { callScript } from './script/call-script.mjs';
import { compileScript } from './script/compile-script.mjs';
import { loadEngine } from './script/engine.mjs';
import { thrownText } from './thrown-text.mjs';
import { callCommand, compileCommand } from './wasi/call-command.mjs';

/**
 * The end of a call; `output` is empty unless it returned. `fuelConsumed` is `null` if nothing has
 * run. `changes` are the changes in its workspace; absent if it has none or was stopped.
 *
 * @typedef {{
 *   verdict: HostVerdict,
 *   output: Uint8Array,
 *   fuelConsumed: number | null,
 *   memoryPeakBytes: number,
 *   changes?: Change[] | undefined,
 * }} CallEnd
 *
 * @typedef {(
 *   input: Uint8Array,
 *   bounds: CommandBounds,
 *   log: CallLog,
 *   invoke: (name: string, args: unknown[]) => unknown,
 * ) => CallEnd | Promise<CallEnd>} Call
 */

/**
 * The entries that this host can call. Each is compiled once and cached under its key until it is
 * dropped.
 *
 * @param {{ extismPath: string, quickjsFolder: string, pythonFolder: string }} places
 */
export async function openEntries({ extismPath, quickjsFolder, pythonFolder }) {
  const { createPlugin } = await import(pathToFileURL(extismPath).href);
  /** @type {Map<string, Call>} */
  const calls = new Map();
  /** @type {ReturnType<typeof loadEngine> | undefined} */
  let engine;
  /** @type {ReturnType<typeof loadPython> | undefined} */
  let python;

  /**
   * @param {EntryParts} entry
   * @param {Buffer} bytes
   * @returns {Promise<{ call: Call } | { problem: string }>}
   */
  const compile = async (entry, bytes) => {
    if (entry.kind === 'script') {
      engine ??= loadEngine(quickjsFolder);
      const running = await engine;
      const script = await compileScript(running, { entry: entry.path, files: filesOf(entry.files, bytes) });
      if ('problem' in script) return script;
      return { call: (...args) => callScript(running, script.compiled, ...args) };
    }
    if (entry.kind === 'python') {
      try {
        python ??= loadPython(pythonFolder);
      } catch (error) {
        // Removed since the daemon started, or not readable for the sandbox's user.
        return { problem: `needs the package @ambit/python, which cannot be loaded: ${thrownText(error)}` };
      }
      const running = python;
      const all = [...entry.files, ...entry.others];
      const files = filesFrom(all, filesOf(entry.files, bytes), skillFiles);
      const program = { target: entry.target, files, modules: modulesOf(all.map(({ path }) => path)) };
      return { call: (...args) => callPython(running, program, ...args) };
    }
    const metered = meterModule(bytes, entry);
    if (metered.status === 'refused') return metered;
    const module = new WebAssembly.Module(/** @type {Uint8Array<ArrayBuffer>} */ (metered.bytes));
    const kind = kindOfEntry(module, entry.function);
    if ('problem' in kind) return kind;
    if (entry.asCommand && kind.kind !== 'command') {
      return { problem: 'is an Extism plug-in; protocol command and a workspace are for WASI commands' };
    }
    if (kind.kind === 'command') {
      const command = compileCommand(module);
      return 'problem' in command ? command : { call: (...args) => callCommand(command, ...args) };
    }
    const plugin = compilePlugin(module, entry.function);
    return 'problem' in plugin ? plugin : { call: (...args) => callPlugin(createPlugin, plugin, ...args) };
  };

  return {
    /**
     * @param {string} key
     * @param {EntryParts} entry
     * @param {Buffer} bytes
     * @returns {Promise<string | undefined>} why it cannot be called; continues the entry's name
     */
    async load(key, entry, bytes) {
      const compiled = await compile(entry, bytes);
      if ('problem' in compiled) return compiled.problem;
      calls.set(key, compiled.call);
      return undefined;
    },
    /** @param {string} key */
    drop(key) {
      calls.delete(key);
    },
    /**
     * @param {string} key
     * @param {Parameters<Call>} args
     */
    call(key, ...args) {
      const call = calls.get(key);
      if (call === undefined) throw new Error(`entry ${key} is not loaded`);
      return call(...args);
    },
  };
}

/**
 * @param {readonly { path: string, bytes: number }[]} files
 * @param {Buffer} bytes all files, concatenated
 */
function filesOf(files, bytes) {
  let at = 0;
  return new Map(
    files.map((file) => {
      // A copy: a file may be imported only in a later call, when the buffer has been reused.
      const content = Uint8Array.from(bytes.subarray(at, at + file.bytes));
      at += file.bytes;
      return [file.path, content];
    }),
  );
}
