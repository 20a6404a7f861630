import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { takeBounds } from '../../../process/sandbox/workspace/take-files.ts';
import { meterModule } from '../../meter/meter-module.mjs';
import { commandOf, dataAt, moduleOf } from '../../testing/module-of.ts';
import { CapabilityViolated } from '../capability-violated.mjs';
import type { CallEnd } from '../entries.mjs';
import { callCommand, compileCommand } from './call-command.mjs';
import type { CommandBounds } from './run-program.mjs';

const MiB = 1024 * 1024;

type Invoke = (name: string, args: unknown[]) => unknown;

const nothingToInvoke: Invoke = (name) => {
  throw new Error(`there is no ${name}`);
};

interface Called {
  call: CallEnd;
  output: string;
  log: string;
}

function call(
  bytes: Uint8Array,
  input = '',
  bounds: Partial<CommandBounds> = {},
  invoke = nothingToInvoke,
): Called {
  const metered = meterModule(bytes, { untrusted: false });
  if (metered.status === 'refused') throw new Error(metered.problem);
  const command = compileCommand(new WebAssembly.Module(Uint8Array.from(metered.bytes)));
  if ('problem' in command) throw new Error(command.problem);
  const log: Uint8Array[] = [];
  const ended = callCommand(
    command,
    new TextEncoder().encode(input),
    {
      memoryBytes: 16 * MiB,
      outputBytes: MiB,
      fuel: 2 ** 62,
      tableGrowth: 1000,
      name: 'subject',
      env: {},
      diskBytes: MiB,
      fileBytes: MiB,
      takeBounds,
      skillFiles: { list: () => [], read: () => new Uint8Array() },
      ...bounds,
    },
    { write: (bytes) => log.push(bytes.slice()) > 0, flush: () => undefined },
    invoke,
  );
  return { call: ended, output: new TextDecoder().decode(ended.output), log: Buffer.concat(log).toString() };
}

const verdictOf = (...args: Parameters<typeof call>): unknown => call(...args).call.verdict;

function fixture(name: string): Uint8Array {
  return readFileSync(new URL(`../../testing/fixtures/${name}.wasm`, import.meta.url));
}

describe('programs of real toolchains', () => {
  test.each(['', '{"text":"ü€😀"}', 'x'.repeat(MiB)])(
    'have their input on stdin and their output on stdout, whole',
    (input) => {
      expect(call(fixture('echo'), input)).toEqual({
        call: {
          verdict: { status: 'returned' },
          output: new TextEncoder().encode(input),
          fuelConsumed: expect.any(Number),
          memoryPeakBytes: 2 * 65536,
        },
        output: input,
        log: '',
      });
    },
  );

  test('a program sees its name, environment, clocks and random numbers, and no host files', () => {
    const { output, log } = call(fixture('world'), '', { env: { LANG: 'C', GREETING: 'ü' } });
    expect(JSON.parse(output)).toEqual({
      arguments: ['subject'],
      environment: ['LANG=C', 'GREETING=ü'],
      file: 'No such file or directory',
      terminal: 0,
      seconds: expect.toSatisfy((seconds) => Math.abs(seconds - Date.now() / 1000) < 60),
      uptimeSeconds: 0,
      resolutionNs: 1_000_000,
      random: true,
      doubles: [0.1, 0.667, 0.1, 1e300],
    });
    expect(log).toBe('first line\nand one without its end');
  });

  test('a program can use the memory that it allocates', () => {
    expect(call(fixture('allocate'), '5')).toMatchObject({
      call: { verdict: { status: 'returned' }, memoryPeakBytes: 82 * 65536 },
      output: '5\n',
    });
  });

  test('a program sleeps as long as it requests', () => {
    expect(Number(call(fixture('sleep'), '20').output)).toBeGreaterThanOrEqual(20);
  });
});

const onePage = '(memory (export "memory") 1)';

test.each([
  [
    'it exits with the highest code',
    '(call $proc_exit (i32.const -1))',
    { status: 'exited', exitCode: 4294967295 },
  ],
  [
    'it divides by zero',
    '(drop (i32.div_u (i32.const 1) (local.get $at)))',
    { status: 'failed', trap: 'divide by zero' },
  ],
  [
    'it exits within a handler of all exceptions',
    '(try (do (call $proc_exit (i32.const 7))) (catch_all))',
    { status: 'exited', exitCode: 7 },
  ],
])('the verdict on a program: %s', (_, body, verdict) => {
  expect(verdictOf(commandOf(body, onePage))).toEqual(verdict);
});

test('output is too large even if the program catches everything', () => {
  const stubborn = commandOf(
    `(loop $l (try (do (call $print (i32.const 1) (i32.const 2048) (i32.const 1000))) (catch_all))
      (br_if $l (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (i32.const 10))))`,
    onePage,
  );
  expect(verdictOf(stubborn, '', { outputBytes: 5000 })).toEqual({ status: 'output-too-large' });
});

describe('invalid addresses and descriptors', () => {
  const exitWith = (expression: string): unknown =>
    verdictOf(commandOf(`(call $proc_exit ${expression})`, onePage));
  const errno = (exitCode: number) => ({ status: 'exited', exitCode });

  test.each([
    ['a vector outside', '(call $fd_write (i32.const 1) (i32.const 65532) (i32.const 1) (i32.const 0))', 21],
    [
      'a vector at the end of 4 GiB',
      '(call $fd_read (i32.const 0) (i32.const -8) (i32.const 1) (i32.const 0))',
      21,
    ],
    ['a count outside', '(call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 65533))', 21],
    [
      'more vectors than there may be',
      '(call $fd_write (i32.const 1) (i32.const 0) (i32.const -1) (i32.const 0))',
      28,
    ],
    ['random numbers beyond the memory', '(call $random_get (i32.const 1) (i32.const 65536))', 21],
    [
      'a descriptor that is not open',
      '(call $fd_write (i32.const 30) (i32.const 0) (i32.const 1) (i32.const 0))',
      8,
    ],
    ['writing to stdin', '(call $fd_write (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 0))', 8],
    ['reading from stdout', '(call $fd_read (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 0))', 8],
    [
      'waiting for nothing',
      '(call $poll_oneoff (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0))',
      28,
    ],
    [
      'waiting outside',
      '(call $poll_oneoff (i32.const 65500) (i32.const 0) (i32.const 1) (i32.const 0))',
      21,
    ],
  ])('an invalid address or descriptor returns an error number: %s', (_, expression, number) => {
    expect(exitWith(expression)).toEqual(errno(number));
  });

  test('an unknown WASI function returns ENOSYS', () => {
    const program = moduleOf(`(module
      (import "wasi_snapshot_preview1" "fly" (func $fly (param i32) (result i32)))
      (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
      (memory (export "memory") 1)
      (func (export "_start") (call $exit (call $fly (i32.const 1)))))`);
    expect(verdictOf(program)).toEqual(errno(52));
  });
});

describe('host functions', () => {
  test.each([
    ['an error of the function', '[]', 'there is no env'],
    ['arguments that are no array', '{}', 'the arguments are not a JSON array'],
  ])('a program gets an error for %s and continues', (_, args, message) => {
    // Prints the error, and exits with 1.
    const program = commandOf(
      `(local.set $at (call $invoke (i32.const 0) (i32.const 3) (i32.const 100) (i32.const 2)))
       (call $answer (i32.const 2048))
       (call $print (i32.const 2) (i32.const 2048) (i32.sub (i32.const -1) (local.get $at)))
       (call $proc_exit (i32.const 1))`,
      `${onePage} ${dataAt(0, 'env')} ${dataAt(100, args)}`,
    );
    const called = call(program);
    expect({ verdict: called.call.verdict, log: called.log }).toEqual({
      verdict: { status: 'exited', exitCode: 1 },
      log: message,
    });
  });

  test('a call beyond the grant ends the program even if it catches everything, prints and exits with 0', () => {
    const calls: string[] = [];
    const invoke: Invoke = (name) => {
      calls.push(name);
      throw new CapabilityViolated('state', 'no grant covers state');
    };
    const attempt =
      '(try (do (drop (call $invoke (i32.const 0) (i32.const 3) (i32.const 100) (i32.const 2)))) (catch_all))';
    const stubborn = commandOf(
      `${attempt} ${attempt}
       (try (do (call $print (i32.const 1) (i32.const 0) (i32.const 1))) (catch_all))
       (try (do (call $proc_exit (i32.const 0))) (catch_all))`,
      `${onePage} ${dataAt(0, 'env')} ${dataAt(100, '[]')}`,
    );
    const called = call(stubborn, '', {}, invoke);
    expect({ verdict: called.call.verdict, output: called.output, calls }).toEqual({
      verdict: { status: 'capability-violated', capability: 'state', detail: 'no grant covers state' },
      output: '',
      calls: ['env'],
    });
  });

  test('an address outside the memory fails the call', () => {
    const program = commandOf(
      '(call $answer (i32.const 1)) (drop (call $invoke (i32.const 0) (i32.const -1) (i32.const 0) (i32.const 0)))',
    );
    expect(verdictOf(program)).toEqual({
      status: 'failed',
      trap: 'a host function received an address outside the memory',
    });
  });
});

test.each([
  ['(module)', 'does not export _start'],
  ['(module (memory (export "_start") 1))', 'exports _start as a memory, not as a function'],
  [
    '(module (import "env" "abort" (func)) (import "ambit" "exec" (func)) (func (export "_start")))',
    'imports functions or values that WASM skills do not have: env abort (function), ambit exec (function)',
  ],
  [
    '(module (import "wasi_unstable" "proc_exit" (func (param i32))) (func (export "_start")))',
    'imports functions or values that WASM skills do not have: wasi_unstable proc_exit (function); build it for wasi_snapshot_preview1',
  ],
  [
    '(module (import "wasi_snapshot_preview1" "memory" (memory 1)) (func (export "_start")))',
    'imports functions or values that WASM skills do not have: wasi_snapshot_preview1 memory (memory)',
  ],
  [
    '(module (import "wasi_snapshot_preview1" "proc_exit" (func (param i32))) (memory 1) (func (export "_start")))',
    'does not export its memory',
  ],
])('a module that is not a command is refused with what it lacks: %s', (text, problem) => {
  expect(compileCommand(new WebAssembly.Module(Uint8Array.from(moduleOf(text))))).toEqual({ problem });
});
