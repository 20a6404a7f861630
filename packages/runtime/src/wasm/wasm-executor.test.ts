// Threat model: T44, T168, T392

import { chmod, mkdir, readFile, rename, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import { type Grant, type Outcome, type RunResult, sharedMemory } from '@ambit/core/execute';
import { usedNothing } from '@ambit/core/outcome';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { bubblewrapSandbox } from '../process/sandbox/bubblewrap/bubblewrap-sandbox.ts';
import { nodePermissionSandbox } from '../process/sandbox/node-permission-sandbox.ts';
import { atDeadline } from '../testing/at-deadline.ts';
import { noState } from '../testing/no-state.ts';
import { grantedSkill } from '../testing/skill-on-disk.ts';
import { wasmHostProgram } from './pool/host-command.ts';
import { echoPlugin, moduleOf, pluginOf, pluginThatOutputs, withText } from './testing/module-of.ts';
import { wasmExecutor } from './wasm-executor.ts';

const never = new AbortController().signal;
const MiB = 1024 * 1024;
/** A number if the machine can measure it. */
const whatItTells = expect.toBeOneOf([expect.any(Number), null]);

type Bytes = string | Uint8Array;

async function granted(module: Bytes, limits: object = {}, entry = 'skill.wasm'): Promise<Grant> {
  return grantedSkill({ runtime: 'wasm', entry, limits }, { [entry]: module });
}

test.each([
  ['bubblewrap', bubblewrapSandbox()],
  ['node-permission', nodePermissionSandbox(wasmHostProgram)],
])('a plug-in gets its input and returns its output as JSON in the sandbox %s', async (name, sandbox) => {
  const executor = wasmExecutor({ sandbox, state: noState, hosts: 1 });
  onTestFinished(() => executor.close?.());
  const value = { text: 'ü€😀', list: [1, null, true] };
  expect(await executor.execute(await granted(echoPlugin()), { protocol: 'json', value }, never)).toEqual({
    outcome: { status: 'succeeded', output: value },
    usage: {
      durationMs: expect.any(Number),
      cpuMs: whatItTells,
      memoryPeakBytes: whatItTells,
      fuelConsumed: expect.any(Number),
    },
    waitedMs: expect.any(Number),
    used: usedNothing,
    log: '',
    sandbox: name,
  });
});

// What happens in a host process is the same in every sandbox. The contract of executors runs in bubblewrap.
describe('a plug-in', () => {
  const executor = wasmExecutor({
    sandbox: nodePermissionSandbox(wasmHostProgram),
    state: noState,
    hosts: 2,
  });
  afterAll(() => executor.close?.());

  const execute = async (module: Bytes, limits: object = {}): Promise<RunResult> =>
    executor.execute(await granted(module, limits), { protocol: 'json', value: {} }, never);

  const outcomeOf = async (module: Bytes, limits: object = {}): Promise<Outcome> =>
    (await execute(module, limits)).outcome;

  const refusalOf = async (module: Bytes): Promise<unknown> =>
    execute(module).then(
      () => undefined,
      (error: SkillError) => ({ code: error.code, message: error.message }),
    );

  const invalid = (problem: string) => ({
    code: 'SKILL_INVALID',
    message: `subject: entry skill.wasm ${problem}`,
  });

  const { fields: words, block: wordsBlock } = withText('"so"');
  test.each([
    ['answers', `(call $output_set ${wordsBlock} (i64.const 4)) (i32.const 0)`],
    ['fails in its own words', `(call $error_set ${wordsBlock}) (i32.const 1)`],
    ['fails without words', '(i32.const 3)'],
    ['traps', '(unreachable)'],
    ['wants more than it may have', '(drop (call $alloc (i64.const 1000000000))) (i32.const 0)'],
    ['never ends', '(loop $again (br $again)) (i32.const 0)'],
  ])('a plug-in that %s costs the same with a start function', async (_, body) => {
    const limits = { fuel: 100_000 };
    const [plain, ...prepared] = await Promise.all(
      [
        words,
        `${words} (func $nothing) (start $nothing)`,
        `${words} (func (export "_initialize"))`,
        `${words} (func (export "hs_init"))`,
      ].map((fields) => execute(pluginOf(body, fields), limits)),
    );
    for (const { outcome, usage, log } of prepared) {
      expect({ outcome, fuel: usage.fuelConsumed, log }).toEqual({
        outcome: plain?.outcome,
        fuel: plain?.usage.fuelConsumed,
        log: plain?.log,
      });
    }
  });

  test.each([
    ['run directly', ''],
    ['run over the bridge', '(func (export "_initialize"))'],
  ])('host functions answer a plug-in that is %s, and a call beyond the grant ends it', async (_, more) => {
    const { fields, block } = withText('HOME');
    const from = (name: string): string =>
      `(import "extism:host/user" "${name}" (func $asked (param i64) (result i64)))
       (import "extism:host/env" "length" (func $length (param i64) (result i64))) ${fields} ${more}`;
    const body = `(local.set $here (call $asked ${block}))
      (call $output_set (local.get $here) (call $length (local.get $here))) (i32.const 0)`;
    expect(await outcomeOf(pluginOf(body, from('recall_memory')))).toEqual({
      status: 'succeeded',
      output: { value: [] },
    });
    const stubborn = `(try (do (drop (call $asked ${block}))) (catch_all)) (i32.const 0)`;
    expect(await outcomeOf(pluginOf(stubborn, from('state_get')))).toEqual({
      status: 'capability-violated',
      capability: 'state',
      detail: 'state_get needs state: read',
    });
  });

  test.each([
    [
      'a run that is no function',
      '(module (memory (export "run") 1))',
      'exports run as a memory, not as a function',
    ],
    [
      'imports from elsewhere',
      '(module (import "env" "abort" (func)) (import "env" "memory" (memory 1)) (func (export "run") (result i32) (i32.const 0)))',
      'imports functions or values that WASM skills do not have: env abort (function), env memory (memory)',
    ],
    [
      'a WASI that came before preview 1',
      '(module (import "wasi_unstable" "fd_write" (func (param i32 i32 i32 i32) (result i32))) (func (export "run") (result i32) (i32.const 0)))',
      'imports functions or values that WASM skills do not have: wasi_unstable fd_write (function)',
    ],
    [
      'a function that Extism does not have',
      '(module (import "extism:host/env" "exec" (func)) (func (export "run") (result i32) (i32.const 0)))',
      'imports functions or values that WASM skills do not have: extism:host/env exec (function)',
    ],
    [
      'the observer itself',
      '(module (import "ambit:observer" "returned" (func (param i32))) (func (export "run") (result i32) (i32.const 0)))',
      'imports functions or values that WASM skills do not have: ambit:observer returned (function)',
    ],
    [
      'the bridge to Extism',
      '(module (import "ambit:bridge" "run" (func)) (func (export "run") (result i32) (i32.const 0)))',
      'imports functions or values that WASM skills do not have: ambit:bridge run (function)',
    ],
  ])('a module that is not a plug-in is refused with what it lacks: %s', async (_, text, problem) => {
    expect(await refusalOf(moduleOf(text))).toEqual(invalid(problem));
  });

  describe('failing plug-ins', () => {
    test.each([
      ['a number without an error', pluginOf('(i32.const 3)'), 'run returned 3 and set no error'],
      ['a division by zero', pluginOf('(i32.div_u (i32.const 1) (i32.const 0))'), 'divide by zero'],
      [
        'an access out of its memory',
        pluginOf('(i32.load (i32.const 65536))'),
        'memory access out of bounds',
      ],
      [
        'a trap before it is called',
        moduleOf(
          '(module (func $start (unreachable)) (start $start) (func (export "run") (result i32) (i32.const 0)))',
        ),
        'unreachable',
      ],
      [
        'an exception',
        moduleOf('(module (tag $oops) (func (export "run") (result i32) (throw $oops)))'),
        'an uncaught exception of the module',
      ],
    ])('a plug-in fails with %s', async (_, module, trap) => {
      expect(await outcomeOf(module)).toEqual({ status: 'failed', failure: { trap }, stderr: '' });
    });

    test('a plug-in that set an output can still fail', async () => {
      const { fields, block } = withText('1');
      expect(
        await outcomeOf(pluginOf(`(call $output_set ${block} (i64.const 1)) (i32.const 2)`, fields)),
      ).toEqual({
        status: 'failed',
        failure: { trap: 'run returned 2 and set no error' },
        stderr: '',
      });
    });
  });

  // The tier `local` has no limit on fuel.
  test('the deadline ends an endless loop in a start function', async () => {
    const start = '(func $start (loop $again (br $again))) (start $start)';
    const module = moduleOf(`(module ${start} (func (export "run") (result i32) (i32.const 0)))`);
    expect(await outcomeOf(module, { timeoutMs: 400 })).toEqual({ status: 'timed-out', timeoutMs: 400 });
  });

  describe('output', () => {
    test.each([
      ['returns nothing', moduleOf('(module (func (export "run")))')],
      [
        'returns nothing, run over the bridge',
        moduleOf('(module (func (export "run")) (func (export "_initialize")))'),
      ],
    ])(
      'the output of a plug-in that %s is null, and its schema decides whether that is valid',
      async (_, module) => {
        expect(await outcomeOf(module)).toEqual({ status: 'succeeded', output: null });
      },
    );

    test('a plug-in’s log is returned up to the limit, even if it fails', async () => {
      const { fields, block } = withText('working');
      expect(await execute(pluginOf(`(call $log_info ${block}) (unreachable)`, fields))).toMatchObject({
        outcome: { status: 'failed', failure: { trap: 'unreachable' }, stderr: 'working\n' },
        log: 'working\n',
      });
      const chatty = pluginOf(`(loop $l (call $log_info ${block}) (br $l)) (i32.const 0)`, fields);
      const { result } = await atDeadline(
        (timeoutMs) => execute(chatty, { outputBytes: 20, timeoutMs }),
        ({ log }) => log !== '',
      );
      expect(result).toMatchObject({
        outcome: { status: 'timed-out' },
        log: 'working\nworking\nwork',
      });
    });
  });

  describe('memory', () => {
    const limits = { memoryBytes: 2 * MiB };
    const outOfMemory = { status: 'out-of-memory', memoryBytes: 2 * MiB };
    const done = { status: 'succeeded', output: 1 };
    const answer = '(call $output_set (call $text (i32.const 0) (i32.const 1)) (i64.const 1)) (i32.const 0)';
    const memory = (type: string): string => `(memory (export "memory") ${type}) (data (i32.const 0) "1")`;

    test.each([
      ["the module's own at its start", pluginOf(answer, memory('32')), pluginOf(answer, memory('33'))],
      [
        "the module's own, grown until it is full",
        pluginOf(
          `(drop (memory.grow (i32.const 31))) (memory.fill (i32.const 65536) (i32.const 7) (i32.const 2031616)) ${answer}`,
          memory('1'),
        ),
        pluginOf(
          `(loop $more (br_if $more (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))) (unreachable)`,
          memory('1'),
        ),
      ],
      [
        "a block of Extism's",
        pluginOf(`(drop (call $alloc (i64.const 2000000))) ${answer}`, memory('1')),
        pluginOf(`(drop (call $alloc (i64.const 2097152))) ${answer}`, memory('1')),
      ],
      [
        "a block of Extism's beyond all measure",
        pluginOf(`(drop (call $alloc (i64.const 1))) ${answer}`, memory('1')),
        pluginOf(`(drop (call $alloc (i64.const -1))) ${answer}`, memory('1')),
      ],
      [
        "many blocks of Extism's",
        pluginOf(
          `(loop $l (call $free (call $alloc (i64.const 65536))) (br_if $l (i64.lt_u (local.tee $here (i64.add (local.get $here) (i64.const 1))) (i64.const 100)))) ${answer}`,
          memory('1'),
        ),
        pluginOf(
          `(loop $l (drop (call $alloc (i64.const 65536))) (br_if $l (i64.lt_u (local.tee $here (i64.add (local.get $here) (i64.const 1))) (i64.const 100)))) ${answer}`,
          memory('1'),
        ),
      ],
      [
        "empty blocks of Extism's",
        pluginOf(
          `(loop $l (drop (call $alloc (i64.const 0))) (br_if $l (i64.lt_u (local.tee $here (i64.add (local.get $here) (i64.const 1))) (i64.const 1000)))) ${answer}`,
          memory('1'),
        ),
        pluginOf(`(loop $l (drop (call $alloc (i64.const 0))) (br $l)) ${answer}`, memory('1')),
      ],
      [
        'copies of a variable',
        pluginOf(
          `(call $var_set (call $alloc (i64.const 1)) (call $alloc (i64.const 500000))) (loop $l (call $free (call $var_get (call $alloc (i64.const 1)))) (br_if $l (i64.lt_u (local.tee $here (i64.add (local.get $here) (i64.const 1))) (i64.const 100)))) ${answer}`,
          memory('1'),
        ),
        pluginOf(
          `(call $var_set (call $alloc (i64.const 1)) (call $alloc (i64.const 500000))) (loop $l (drop (call $var_get (call $alloc (i64.const 1)))) (br_if $l (i64.lt_u (local.tee $here (i64.add (local.get $here) (i64.const 1))) (i64.const 100)))) ${answer}`,
          memory('1'),
        ),
      ],
    ])('memory within the limit is available, and beyond it is not: %s', async (_, within, beyond) => {
      expect(await outcomeOf(within, limits)).toEqual(done);
      expect(await outcomeOf(beyond, limits)).toEqual(outOfMemory);
    });

    test('a refused block cannot be written', async () => {
      const body = `
        (drop (call $alloc (i64.const 50000000)))
        (call $output_set (i64.shl (i64.const 2) (i64.const 48)) (i64.const 10))
        (i32.const 0)`;
      expect(await outcomeOf(pluginOf(body), limits)).toEqual(outOfMemory);
    });
  });

  describe('a plug-in that imports WASI', () => {
    const vector = '(data (i32.const 100) "\\00\\00\\00\\00\\08\\00\\00\\00")';
    const wasi = (name: string, type: string): string =>
      `(import "wasi_snapshot_preview1" "${name}" (func $${name} ${type}))`;
    const { fields } = withText('working\n1');
    const imports = `${wasi('fd_write', '(param i32 i32 i32 i32) (result i32)')} ${wasi('proc_exit', '(param i32)')}`;
    const print = (to: number): string =>
      `(if (call $fd_write (i32.const ${to}) (i32.const 100) (i32.const 1) (i32.const 108)) (then (unreachable)))`;
    const answer = '(call $output_set (call $text (i32.const 8) (i32.const 1)) (i64.const 1)) (i32.const 0)';

    test('a plug-in’s WASI output goes to the log, even before it is called', async () => {
      const initialize = `(func (export "_initialize") ${print(2)})`;
      const plugin = pluginOf(`${print(1)} ${answer}`, `${imports} ${fields} ${vector} ${initialize}`);
      expect(await execute(plugin)).toMatchObject({
        outcome: { status: 'succeeded', output: 1 },
        log: 'working\nworking\n',
      });
    });

    test('a plug-in with WASI finds no files', async () => {
      const open = wasi('path_open', '(param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)');
      const errno =
        '(call $path_open (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 4) (i32.const 0) (i64.const -1) (i64.const -1) (i32.const 0) (i32.const 200))';
      const plugin = pluginOf(errno, `${open} ${fields}`);
      expect(await outcomeOf(plugin)).toEqual({
        status: 'failed',
        failure: { trap: 'run returned 8 and set no error' },
        stderr: '',
      });
    });

    test('a plug-in ends when it exits with any code, even if it catches everything', async () => {
      for (const exitCode of [0, 7]) {
        const exit = `(call $proc_exit (i32.const ${exitCode}))`;
        const exited = { status: 'failed', failure: { exitCode }, stderr: '' };
        expect(await outcomeOf(pluginOf(`${exit} ${answer}`, `${imports} ${fields}`))).toEqual(exited);
        const stubborn = `(try (do ${exit}) (catch_all)) ${answer}`;
        expect(await outcomeOf(pluginOf(stubborn, `${imports} ${fields}`))).toEqual(exited);
      }
    });
  });

  test('a plug-in finds no configuration, not even inherited object properties', async () => {
    const { fields, block } = withText('constructor');
    const body = `(drop (call $config_get ${block})) (call $output_set (call $text (i32.const 20) (i32.const 1)) (i64.const 1)) (i32.const 0)`;
    expect(await outcomeOf(pluginOf(body, `${fields} (data (i32.const 20) "1")`))).toEqual({
      status: 'succeeded',
      output: 1,
    });
  });
});

test('write_file writes up to fileBytes, and leaves the file unchanged beyond that', async () => {
  const executor = wasmExecutor({ sandbox: bubblewrapSandbox(), state: noState, hosts: 1 });
  onTestFinished(() => executor.close?.());
  const folder = await temporaryFolder();
  await chmod(folder, 0o777);
  const file = join(folder, 'file');
  const script = `import { writeFile } from 'ambit';
      const attempt = (text) => { try { return writeFile('${file}', text); } catch ({ message }) { return message; } };
      export default () => [attempt('x'.repeat(97) + '€'), attempt('x'.repeat(98) + '€')];`;
  const grant = await grantedSkill(
    {
      runtime: 'wasm',
      entry: 'index.js',
      capabilities: { filesystem: { write: ['granted'] } },
      limits: { fileBytes: 100 },
    },
    { 'index.js': script },
    { operator: { filesystem: { write: [folder] } } },
  );
  const { outcome } = await executor.execute(grant, { protocol: 'json', value: {} }, never);
  expect(outcome).toEqual({
    status: 'succeeded',
    output: [null, `${file} would exceed limits.fileBytes (100 bytes)`],
  });
  expect(await readFile(file, 'utf8')).toBe(`${'x'.repeat(97)}€`);
});

describe('the entry', () => {
  // A host that has compiled the entry does not read the file again; here no host has.
  const run = async (grant: Grant): Promise<unknown> => {
    const executor = wasmExecutor({
      sandbox: nodePermissionSandbox(wasmHostProgram),
      state: noState,
      hosts: 1,
    });
    try {
      return (await executor.execute(grant, { protocol: 'json', value: {} }, never)).outcome;
    } catch (error) {
      return { code: (error as SkillError).code, message: (error as SkillError).message };
    } finally {
      await executor.close?.();
    }
  };
  const invalid = (problem: string) => ({
    code: 'SKILL_INVALID',
    message: `subject: entry bin/skill.wasm ${problem}`,
  });
  const link = invalid('is a symlink or behind one; put the file itself there');

  test('the entry may be in a subfolder of the skill', async () => {
    expect(await run(await granted(pluginThatOutputs('1'), {}, 'bin/skill.wasm'))).toEqual({
      status: 'succeeded',
      output: 1,
    });
  });

  test('an entry that is a symlink or behind one is refused, whatever its target', async () => {
    const grant = await granted(pluginThatOutputs('1'), {}, 'bin/skill.wasm');
    const at = (path: string): string => join(grant.skill.root, path);
    await rename(at('bin/skill.wasm'), at('real.wasm'));
    await symlink('../real.wasm', at('bin/skill.wasm'));
    expect(await run(grant)).toEqual(link);
    await rename(at('bin'), at('other'));
    await mkdir(at('real'));
    await rename(at('real.wasm'), at('real/skill.wasm'));
    await symlink('real', at('bin'));
    expect(await run(grant)).toEqual(link);
  });

  test('an entry that differs from the skill’s digest does not run', async () => {
    const grant = await granted(pluginThatOutputs('1'), {}, 'bin/skill.wasm');
    await writeFile(join(grant.skill.root, 'bin/skill.wasm'), pluginThatOutputs('2'));
    expect(await run(grant)).toEqual({
      code: 'SKILL_CHANGED',
      message: 'subject: entry bin/skill.wasm changed since the skill was read; call again',
    });
  });

  test('an entry larger than 64 MiB is refused', async () => {
    const grant = await granted(pluginThatOutputs('1'), {}, 'bin/skill.wasm');
    await truncate(join(grant.skill.root, 'bin/skill.wasm'), 64 * MiB + 1);
    expect(await run(grant)).toEqual(invalid('is not a file of at most 64 MiB'));
    const missing = { ...grant, skill: { ...grant.skill, run: { ...grant.skill.run, entry: 'none' } } };
    expect(await run(missing)).toEqual({
      code: 'SKILL_INVALID',
      message: 'subject: entry none is not a file of the skill',
    });
  });
});

describe('the host that a check starts', () => {
  const checked = async (hosts: number) => {
    const executor = wasmExecutor({ sandbox: bubblewrapSandbox(), state: noState, hosts });
    onTestFinished(() => executor.close?.());
    await Promise.all([executor.check(), executor.check()]);
    expect(executor.load()).toMatchObject({ hosts: 1, idle: 1, started: 1 });
    return executor;
  };

  test('runs the next call', async () => {
    const executor = await checked(1);
    const grant = await granted(echoPlugin());
    const { outcome } = await executor.execute(grant, { protocol: 'json', value: { a: 1 } }, never);
    expect([outcome, executor.load().started]).toEqual([{ status: 'succeeded', output: { a: 1 } }, 1]);
  });

  test('is one of the prewarmed hosts of its tier, and makes room for another tier', async () => {
    const executor = await checked(1);
    await executor.prewarm?.(await granted(echoPlugin()));
    expect(executor.load()).toMatchObject({ hosts: 1, idle: 1, started: 1 });
    const other = await checked(1);
    const run = { runtime: 'wasm', entry: 'skill.wasm' };
    await other.prewarm?.(await grantedSkill(run, { 'skill.wasm': echoPlugin() }, { tier: 'untrusted' }));
    expect(other.load()).toMatchObject({ hosts: 1, idle: 1, started: 2 });
  });

  test('ends if no call needs it', async () => {
    const executor = await checked(2);
    await vi.waitUntil(() => executor.load().hosts === 0);
  });
});

test('a waiting host holds its own memory as far as calls leave it, and ends when a call needs it', async () => {
  const memory = sharedMemory(320 * MiB);
  const executor = wasmExecutor({ sandbox: bubblewrapSandbox(), state: noState, hosts: 1, memory });
  onTestFinished(() => executor.close?.());
  const grant = await granted(echoPlugin(), { memoryBytes: 64 * MiB });
  expect(executor.reservedBytes?.(grant)).toBe(192 * MiB);
  const free = memory.reserve(250 * MiB);
  await executor.prewarm?.(grant);
  expect([executor.load().hosts, memory.load().idle]).toEqual([0, 0]);
  free?.();
  await executor.prewarm?.(grant);
  expect([executor.load().hosts, memory.load().idle]).toEqual([1, 128 * MiB]);
  const freeAgain = memory.reserve(250 * MiB);
  await memory.makeRoom();
  expect([executor.load().hosts, memory.load().idle]).toEqual([0, 0]);
  freeAgain?.();
  const call = await executor.execute(grant, { protocol: 'json', value: 1 }, never);
  expect([call.outcome, memory.load().idle]).toEqual([{ status: 'succeeded', output: 1 }, 128 * MiB]);
  // On a small machine, a call that fits by itself runs alone.
  memory.resize(100 * MiB);
  expect(executor.reservedBytes?.(grant)).toBe(100 * MiB);
});

test('a call with arguments and stdin is refused for a skill with protocol json', async () => {
  const executor = wasmExecutor({
    sandbox: nodePermissionSandbox(wasmHostProgram),
    state: noState,
    hosts: 1,
  });
  const call = executor.execute(
    await granted(echoPlugin()),
    { protocol: 'command', args: [], stdin: '' },
    never,
  );
  await expect(call).rejects.toThrow(new SkillError('INPUT_INVALID', 'subject uses protocol json'));
});
