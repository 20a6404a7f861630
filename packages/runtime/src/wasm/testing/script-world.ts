import { callScript } from '../host/script/call-script.mjs';
import { compileScript } from '../host/script/compile-script.mjs';
import { loadEngine } from '../host/script/engine.mjs';
import { quickjsFolder } from '../pool/host-command.ts';

const engine = await loadEngine(quickjsFolder);
const MiB = 1024 * 1024;

/** A skill's files, or only the text of index.js. */
type Files = string | Record<string, string | Uint8Array>;

/** The options of a call, with defaults. */
export interface ScriptCall {
  input?: unknown;
  memoryBytes?: number;
  outputBytes?: number;
  fuel?: bigint;
  invoke?: (name: string, args: unknown[]) => unknown;
}

/** The result of a call: the output as a value, `undefined` if there is none. */
export interface ScriptAnswer {
  verdict: object;
  output: unknown;
  log: string[];
  fuelConsumed: number;
  memoryPeakBytes: number;
}

/** Compiles a script with the entry index.js; throws the problem as an error if it is refused. */
export async function scriptOf(files: Files): Promise<(call?: ScriptCall) => Promise<ScriptAnswer>> {
  const named = Object.entries(typeof files === 'string' ? { 'index.js': files } : files);
  const answer = await compileScript(engine, {
    entry: 'index.js',
    files: new Map(
      named.map(([path, text]) => [path, typeof text === 'string' ? new TextEncoder().encode(text) : text]),
    ),
  });
  if ('problem' in answer) throw new Error(answer.problem);
  return async ({ input = {}, invoke = () => null, ...bounds } = {}) => {
    const log: string[] = [];
    const end = await callScript(
      engine,
      answer.compiled,
      new TextEncoder().encode(JSON.stringify(input)),
      { memoryBytes: 64 * MiB, outputBytes: MiB, fuel: 20_000_000_000n, tableGrowth: 1000, ...bounds },
      { info: (line: string) => log.push(line) },
      invoke,
    );
    const text = new TextDecoder().decode(end.output);
    return { ...end, output: text === '' ? undefined : JSON.parse(text), log };
  };
}

/** Runs a script once. */
export async function runScript(files: Files, call: ScriptCall = {}): Promise<ScriptAnswer> {
  return (await scriptOf(files))(call);
}

/** The output of a script, otherwise its verdict. */
export async function endOf(files: Files, call: ScriptCall = {}): Promise<unknown> {
  const { verdict, output } = await runScript(files, call);
  return output ?? verdict;
}
