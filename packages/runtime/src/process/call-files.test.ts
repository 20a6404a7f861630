// Threat model: T54, T56

import type { CallContext, Grant, RunObserver, RunResult, SkillState } from '@ambit/core/execute';
import { afterAll, describe, expect, test } from 'vitest';
import { jsonThread } from '../json/json-thread.ts';
import { memoryState } from '../testing/memory-state.ts';
import { grantedSkill } from '../testing/skill-on-disk.ts';
import { processExecutor } from './process-executor.ts';
import { bubblewrapSandbox } from './sandbox/bubblewrap/bubblewrap-sandbox.ts';

const never = new AbortController().signal;
const json = jsonThread();
const sandbox = bubblewrapSandbox();
afterAll(async () => {
  await json.close();
  await sandbox.close?.();
});

/** An executor with a state store of its own, which holds `a` and `b` for the skill. */
async function stage(capabilities: object = { state: 'write' }, operator: object = {}) {
  const state = memoryState();
  await state.change(
    'subject',
    new Map([
      ['a', '1'],
      ['b', '{"x":[1,2],"y":"ü"}'],
    ]),
  );
  const executor = processExecutor({ sandbox, environment: {}, state, json });
  const skill = (body: string, run: object = {}): Promise<Grant> =>
    grantedSkill(
      {
        runtime: 'process',
        entry: 'scripts/run.py',
        protocol: 'command',
        ...run,
        capabilities: { exec: ['python3'], ...capabilities },
      },
      { 'scripts/run.py': `${preamble}${body}\n` },
      { operator },
    );
  const run = (grant: Grant, caller: CallContext = {}, watch?: RunObserver): Promise<RunResult> =>
    executor.execute(
      grant,
      { protocol: 'command', args: [], stdin: '', context: { executionId: 'e', caller } },
      never,
      watch,
    );
  return {
    state,
    executor,
    skill,
    run,
    call: async (body: string, caller?: CallContext) => run(await skill(body), caller),
  };
}

const preamble = `#!/usr/bin/env python3
import json, os, sys, time
PATH = os.environ.get("AMBIT_STATE", "")

def put(text, path=PATH):
    with open(path, "w") as file:
        file.write(text)

def at():
    with open(PATH) as file:
        return json.load(file)

`;

/** The skill's stored state, after a run's changes are saved. */
async function saved({ state: change }: RunResult, state: SkillState): Promise<unknown> {
  await change?.save();
  return Object.fromEntries([...(await state.all('subject'))].map(([key, text]) => [key, JSON.parse(text)]));
}

const given = { a: 1, b: { x: [1, 2], y: 'ü' } };

describe('state: write', () => {
  test.each<[string, string, unknown, number]>([
    [
      'adds, changes and removes keys',
      'stored = at(); stored["c"] = 3; stored["a"] = 2; del stored["b"]; put(json.dumps(stored))',
      { a: 2, c: 3 },
      3,
    ],
    ['removes a key by null', 'put(\'{"a": null, "b": {"x": [1, 2], "y": "ü"}}\')', { b: given.b }, 1],
    [
      'replaces the file by a rename',
      'put(\'{"new": true}\', PATH + ".new"); os.rename(PATH + ".new", PATH)',
      { new: true },
      3,
    ],
    ['removes everything with an empty object', 'put("{}")', {}, 2],
    ['writes a byte order mark', 'put("\\ufeff" + json.dumps(dict(at(), c=1)))', { ...given, c: 1 }, 1],
  ])('a program with state: write %s', async (_, body, expected, keys) => {
    const { call, state } = await stage();
    const result = await call(body);
    expect([result.outcome.status, result.state?.keys]).toEqual(['succeeded', keys]);
    // Nothing is saved before the caller saves it.
    expect(await saved({ ...result, state: undefined } as never, state)).toEqual(given);
    expect(await saved(result, state)).toEqual(expected);
  });

  test.each([
    ['leaves the file alone', 'at()'],
    [
      'rewrites it with different white space and order',
      'put(json.dumps(dict(b={"y": "ü", "x": [1, 2]}, a=1.0), indent=4))',
    ],
  ])('a program with state: write that %s changes nothing', async (_, body) => {
    const { call } = await stage();
    const { outcome, state } = await call(body);
    expect([outcome.status, state]).toEqual(['succeeded', undefined]);
  });
});

describe('an unusable state file', () => {
  const notSaved = (problem: string): string =>
    `state not saved: the file that AMBIT_STATE names ${problem}. Write one JSON object to it`;

  test.each([
    ['an empty file', 'put("")', 'is not JSON; it begins with ""'],
    ['NaN', 'put(json.dumps({"a": float("nan")}))', 'is not JSON; it begins with "{\\"a\\": NaN}"'],
    ['bytes that are not UTF-8', 'open(PATH, "wb").write(b\'{"a":"\\xff"}\')', 'is not UTF-8'],
    ['a number that is not finite', 'put(\'{"a": 1e400}\')', 'has a number that is not finite, at /a'],
    ['a list', 'put("[]")', 'is a list, not an object'],
    ['null', 'put("null")', 'is null, not an object'],
    [
      'large deep JSON',
      'put("{\\"a\\":" + "[" * 100000 + "]" * 100000 + "}")',
      'is nested more than 512 levels deep',
    ],
    [
      'a symlink to itself',
      'os.remove(PATH); os.symlink(PATH, PATH)',
      'is not a regular file but a symbolic link',
    ],
    ['a folder', 'os.remove(PATH); os.mkdir(PATH)', 'is not a regular file but a folder'],
    [
      'a file that is one byte too large',
      'put("{}" + " " * (4 * 2**20 - 1))',
      'has 4194305 bytes, more than 4194304',
    ],
  ])(
    'a state file that is or contains %s ends the call as output-invalid and saves nothing',
    async (_, body, problem) => {
      const { call, state } = await stage();
      const result = await call(`print("out"); ${body}`);
      expect(result.outcome).toEqual({ status: 'output-invalid', detail: notSaved(problem), stderr: '' });
      expect(await saved(result, state)).toEqual(given);
    },
  );

  test('a state file of the maximum size is saved', async () => {
    const { call, state } = await stage();
    const result = await call('text = \'{"c":1}\'; put(text + " " * (4 * 2**20 - len(text)))');
    expect(await saved(result, state)).toEqual({ c: 1 });
  });

  test('a program cannot fill memory with files beside the state file', async () => {
    const { call } = await stage();
    const body = `
try:
    for n in range(64): put("x" * 2**20, f"{PATH}.{n}")
except OSError as error: print(error.errno, n < 20)`;
    expect((await call(body)).outcome).toMatchObject({ output: { stdout: '28 True\n' } });
  });
});

test('a program with state: read reads the state file and cannot change it or its folder', async () => {
  const { call, state } = await stage({ state: 'read' });
  const body = `
def tried(do):
    try: return str(do())
    except OSError as error: return os.strerror(error.errno)
print(json.dumps([at(), os.listdir(os.path.dirname(PATH)), tried(lambda: put("{}")), tried(lambda: os.remove(PATH)),
    tried(lambda: put("{}", PATH + ".new")), tried(lambda: os.chmod(PATH, 0o777))]))`;
  const result = await call(body);
  const readOnly = 'Read-only file system';
  const { output } = result.outcome as { output?: { stdout: string } };
  expect(JSON.parse(output?.stdout ?? '')).toEqual([
    given,
    ['state.json'],
    readOnly,
    expect.stringMatching(/Read-only|busy/),
    readOnly,
    readOnly,
  ]);
  expect(await saved(result, state)).toEqual(given);
});

test('an executor without a state store enforces memory but not state', () => {
  const enforced = processExecutor({ sandbox, environment: {} }).enforces;
  expect(enforced).toContain('memory');
  expect(enforced).not.toContain('state');
});
