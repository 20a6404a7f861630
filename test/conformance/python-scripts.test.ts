import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SkillExecutor, ToolSkill } from '../../packages/core/src/execute.ts';
import { bubblewrapSandbox, processExecutor, wasmExecutor } from '../../packages/runtime/src/index.ts';
import { noState } from '../../packages/runtime/src/testing/no-state.ts';
import { grantedTool } from '../contract/support/granted-skill.ts';
import { isWhole } from '../support/whole.ts';
import {
  type CorpusScript,
  corpusTool,
  readCorpus,
  type ScriptCase,
  sampleOf,
  writeCorpusSkill,
} from './python/corpus.ts';
import { type Exception, exceptions } from './python/exceptions.ts';
import { normalized } from './python/normalized.ts';

const corpus = await readCorpus();
const sample = sampleOf(corpus);
/** Other versions print other messages. */
const isSameVersion = spawnSync('/usr/bin/python3', ['--version'])
  .stdout?.toString()
  .startsWith('Python 3.11.');
/** The variables of the case that runs. */
const environment: Record<string, string> = {};
const sandbox = bubblewrapSandbox();
const native = processExecutor({ sandbox, environment });
const wasm = wasmExecutor({ sandbox, state: noState, environment, hosts: 1 });
let folder: string;
let nativeTool: (script: string) => ToolSkill;
let wasmTool: (script: string) => ToolSkill;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ambit-python-'));
  await chmod(folder, 0o755);
  const root = await writeCorpusSkill(folder);
  nativeTool = await corpusTool(root, 'local');
  const untrusted = await corpusTool(root, 'untrusted');
  // Variables need a grant, and the scripts are compared without the limits of the tier.
  wasmTool = (script) => ({ ...untrusted(script), tier: 'local', requestedBy: 'operator' });
});
afterAll(async () => {
  await wasm.close?.();
  await native.close?.();
  await sandbox.close?.();
  await rm(folder, { recursive: true, force: true });
});

async function run(executor: SkillExecutor, tool: ToolSkill, call: ScriptCase): Promise<object> {
  const grant = grantedTool(tool, { env: Object.keys(call.env ?? {}) });
  const files = Object.entries(call.files ?? {}).map(([path, content]) => ({
    path,
    content: typeof content === 'string' ? Buffer.from(content) : Buffer.from(content.base64, 'base64'),
  }));
  const input = { protocol: 'command' as const, args: call.args ?? [], stdin: call.stdin ?? '', files };
  return normalized(await executor.execute(grant, input, new AbortController().signal));
}

async function both(script: CorpusScript, caseName: string): Promise<[object, object]> {
  const call = script.cases.get(caseName) ?? {};
  const name = call.module === undefined ? script.name : `-m ${call.module}`;
  for (const variable of Object.keys(environment)) delete environment[variable];
  Object.assign(environment, call.env);
  return Promise.all([run(native, nativeTool(name), call), run(wasm, wasmTool(name), call)]);
}

test('has at least 150 scripts, and exceptions only for cases that exist', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(150);
  const known = corpus.flatMap(({ name, cases }) => [...cases.keys()].map((each) => `${name}: ${each}`));
  const listed = Object.entries(exceptions).flatMap(([name, cases]) =>
    Object.keys(cases).map((each) => `${name}: ${each}`),
  );
  expect(listed.filter((each) => !known.includes(each))).toEqual([]);
});

test('the sample of npm test imports every module that a script imports', () => {
  const imported = (scripts: readonly CorpusScript[]) =>
    [...new Set(scripts.flatMap(({ modules }) => [...modules]))].sort();
  expect(imported(sample)).toEqual(imported(corpus));
  expect(imported(corpus)).toEqual(expect.arrayContaining(['csv', 'json', 'sqlite3', 'zoneinfo']));
});

describe.runIf(isSameVersion)('a script of the standard library', () => {
  test.each(isWhole ? corpus : sample)(
    'ends in WebAssembly as it does under python3: $name',
    async (script) => {
      const expected: Record<string, object> = {};
      const actual: Record<string, object> = {};
      for (const caseName of script.cases.keys()) {
        const [inPython, inWasm] = await both(script, caseName);
        const exception = exceptions[script.name]?.[caseName];
        expected[caseName] = exception === undefined ? inPython : withDifference(inPython, exception);
        actual[caseName] = exception?.fails === undefined ? inWasm : lastLine(inWasm);
        if (exception !== undefined) expect(inWasm, `${caseName} is no exception`).not.toEqual(inPython);
      }
      expect(actual).toEqual(expected);
    },
  );
});

/** Applies an exception's differences to an outcome in WebAssembly. */
function withDifference(inPython: object, { fails, differs = [] }: Exception): object {
  if (fails !== undefined) return { status: 'failed', line: fails };
  const text = (value: string): string => JSON.stringify(value).slice(1, -1);
  return JSON.parse(
    differs.reduce((all, [from, to]) => all.replaceAll(text(from), text(to)), JSON.stringify(inPython)),
  );
}

function lastLine(result: object): object {
  const { outcome } = result as { outcome: { status: string; stderr?: string } };
  return { status: outcome.status, line: outcome.stderr?.trimEnd().split('\n').at(-1) };
}
