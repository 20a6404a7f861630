import { describe, expect, test } from 'vitest';
import { moduleOf } from '../testing/module-of.ts';
import { meterModule } from './meter-module.mjs';
import { instanceOf, meteredBytes, outcomeOf, plenty } from './testing/metered.ts';
import { moduleFromSections } from './testing/sections.ts';

const run = (body: string, fields = '', type = '(result i32)'): Uint8Array =>
  moduleOf(`(module ${fields} (func (export "run") ${type} ${body}))`);

/**
 * A block around `try_table (catch_all 0)` around a throw, then 7. The test's text format does not
 * support it.
 */
const tryTable = moduleFromSections([
  [1, [2, 0x60, 0, 0, 0x60, 0, 1, 0x7f]],
  [3, [1, 1]],
  [13, [1, 0, 0]],
  [7, [1, 3, ...Buffer.from('run'), 0, 0]],
  [10, [1, 16, 0, 0x02, 0x40, 0x1f, 0x40, 1, 2, 0, 0x08, 0, 0x0b, 0x01, 0x0b, 0x41, 7, 0x0b]],
]);

const countdown = `
  (local $n i32)
  (local.set $n (i32.const 10))
  (loop $next (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
  (local.get $n)`;

const fibonacci = `(func $fib (param i32) (result i32)
  (if (result i32) (i32.lt_u (local.get 0) (i32.const 2))
    (then (local.get 0))
    (else (i32.add (call $fib (i32.sub (local.get 0) (i32.const 1)))
                   (call $fib (i32.sub (local.get 0) (i32.const 2)))))))`;

const choice = `(block $two (block $one (block $zero
    (br_table $zero $one $two (local.get 0)))
    (return (i32.const 100)))
    (return (i32.add (i32.const 200) (i32.const 1))))
  (i32.const 300)`;

const twice =
  '(type $f (func (result i32))) (table funcref (elem $f1 $f2)) (func $f1 (result i32) (i32.const 1))';
const throughTable = `(i32.add (call_indirect (type $f) (i32.const 0)) (call_indirect (type $f) (i32.const 1)))`;

test.each<[string, Uint8Array, number[], result: unknown, cost: bigint]>([
  ['a function that does nothing', run('', '', ''), [], undefined, 0n],
  ['a cost whose number has a byte more', run(`${'(nop)'.repeat(63)} (i32.const 1)`), [], 1, 64n],
  // Each call costs its first four instructions, and one or nine for its arm.
  ['recursion', run('(call $fib (i32.const 10))', fibonacci), [], 55, 2n + 177n * 4n + 89n * 1n + 88n * 9n],
  ['the first arm of br_table', run(choice, '', '(param i32) (result i32)'), [0], 100, 4n],
  ['the second arm of br_table', run(choice, '', '(param i32) (result i32)'), [1], 201, 6n],
  ['the default arm of br_table', run(choice, '', '(param i32) (result i32)'), [9], 300, 3n],
  ['calls through a table', run(throughTable, `${twice} (func $f2 (result i32) (i32.const 2))`), [], 3, 7n],
  [
    'a tail call',
    run('(return_call $f (i32.const 3))', '(func $f (param i32) (result i32) (local.get 0))'),
    [],
    3,
    3n,
  ],
  [
    'an exception that is caught',
    run('(try (do (throw $t)) (catch $t (nop))) (i32.const 7)', '(tag $t)'),
    [],
    7,
    3n,
  ],
  [
    'an exception of a function that was called',
    run('(try (do (call $f)) (catch_all (nop))) (i32.const 7)', '(tag $t) (func $f (nop) (nop) (throw $t))'),
    [],
    7,
    6n,
  ],
  [
    'an exception that leaves a loop',
    run(
      '(try (do (call $f)) (catch_all (nop))) (i32.const 7)',
      `(tag $t) (func $f (local $n i32) (loop $next
          (if (i32.eq (local.get $n) (i32.const 4)) (then (throw $t)))
          (local.set $n (i32.add (local.get $n) (i32.const 1)))
          (br $next)))`,
    ),
    [],
    7,
    // The code after the throw is paid too.
    1n + 5n * 9n + 1n + 2n,
  ],
  [
    'a branch that leaves a loop with a value',
    run(`(local $n i32) (block $done (result i32) (loop $next
        (br_if $done (i32.const 7) (i32.eq (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 3)))
        (drop) (br $next)) (unreachable))`),
    [],
    7,
    3n * 8n + 2n * 2n,
  ],
  [
    'a loop that calls after a loop that does not',
    run(
      `(local $n i32) (local $m i32) (loop $outer
          (local.set $m (i32.const 3))
          (loop $inner
            (br_if $outer (i32.eq (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 2)))
            (br_if $inner (local.tee $m (i32.sub (local.get $m) (i32.const 1)))))
          (call $f)) (local.get $n)`,
      '(func $f (nop))',
    ),
    [],
    5,
    2n * 2n + 5n * 7n + 4n * 5n + 1n + 1n + 1n,
  ],
  [
    'a call in a loop in a loop',
    run(
      `(local $n i32) (loop $outer
          (local.set $n (i32.add (local.get $n) (i32.const 1)))
          (loop $inner (br_if $inner (call $even)))
          (br_if $outer (i32.lt_u (local.get $n) (i32.const 3))))
        (i32.const 7)`,
      `(global $turn (mut i32) (i32.const 0)) (func $even (result i32)
          (global.set $turn (i32.xor (global.get $turn) (i32.const 1))) (global.get $turn))`,
    ),
    [],
    7,
    3n * (4n + 2n * (2n + 5n) + 4n) + 1n,
  ],
  [
    'a branch from a loop to the end of the function',
    run(`(local $n i32) (loop $next
        (br_if 1 (i32.const 7) (i32.eq (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 3)))
        (drop) (br $next)) (unreachable)`),
    [],
    7,
    3n * 8n + 2n * 2n,
  ],
  [
    'a branch from an endless loop to the end of the function',
    run('(loop $next (br 1 (i32.const 7))) (unreachable)'),
    [],
    7,
    2n,
  ],
  ['an exception that try_table catches, and not what it jumps over', tryTable, [], 7, 2n],
  ['declared locals, 1 for 8', run(`(local ${'i64 '.repeat(23)}) (i32.const 1)`), [], 1, 3n],
  [
    'filling memory, 1 more for 64 bytes',
    run('(memory.fill (i32.const 0) (i32.const 1) (i32.const 1000)) (i32.const 1)', '(memory 1)'),
    [],
    1,
    5n + 15n,
  ],
  [
    'growing memory, as much as to fill it',
    run('(memory.grow (i32.const 2))', '(memory 1)'),
    [],
    1,
    2n + 2048n,
  ],
  [
    'growing and filling a table, 1 more for an element',
    run(
      `(drop (table.grow (ref.null func) (i32.const 5)))
        (table.fill (i32.const 0) (ref.null func) (i32.const 6)) (i32.const 1)`,
      '(table 1 funcref)',
    ),
    [],
    1,
    4n + 5n + 4n + 6n + 1n,
  ],
])('a call succeeds with exactly its cost and traps with one less: %s', (_, bytes, args, result, cost) => {
  const enough = instanceOf(bytes, { fuel: cost });
  expect(outcomeOf(enough, cost, ...args)).toEqual({ ended: result, used: cost });
  if (cost === 0n) return;
  const tooLittle = instanceOf(bytes, { fuel: cost - 1n });
  expect(outcomeOf(tooLittle, cost, ...args).ended).toBe('unreachable');
  expect(tooLittle.fuel()).toBeLessThan(0n);
});

describe('a trap that is not the end of the fuel', () => {
  const loopTo = (last: string): Uint8Array =>
    run(
      `(local $n i32) (loop $next
        (local.set $n (i32.add (local.get $n) (i32.const 1)))
        (br_if $next (i32.lt_u (local.get $n) (i32.const 1000)))
        ${last})
      (i32.const 7)`,
      '(memory 1) (func $f)',
    );

  test.each([
    ['a loop that calls nothing costs nothing', '(drop (i32.load (i32.const 70000)))', 1n],
    ['a loop with a call costs as usual', '(call $f) (unreachable)', 1n + 1000n * 8n + 2n],
    ['code after a loop costs as usual', ') (block (unreachable)', 1n + 1000n * 8n + 1n],
  ])('in %s', (_, last, cost) => {
    const { ended, used } = outcomeOf(instanceOf(loopTo(last), { fuel: plenty }), plenty);
    expect([ended, used]).toEqual([expect.stringMatching(/unreachable|out of bounds/), cost]);
  });
});

describe('running out of fuel', () => {
  test('after the fuel has run out, later calls trap too', () => {
    const instance = instanceOf(run('(nop)', '', ''), { fuel: 0n });
    expect([outcomeOf(instance, 0n), outcomeOf(instance, 0n)]).toEqual([
      { ended: 'unreachable', used: 1n },
      { ended: 'unreachable', used: 2n },
    ]);
  });

  test('there is no fuel before ambit:begin', () => {
    expect(outcomeOf(instanceOf(run('(nop)', '', '')), 0n).ended).toBe('unreachable');
    expect(outcomeOf(instanceOf(run('(nop)', '', ''), { fuel: 1n }), 1n).ended).toBeUndefined();
  });

  test('calls by a host function use the same fuel', () => {
    const bytes = run(
      '(call $back) (i32.const 1)',
      '(import "host" "back" (func $back)) (func (export "more") (nop) (nop))',
    );
    const imports = { host: { back: () => more() } };
    const exports = new WebAssembly.Instance(new WebAssembly.Module(meteredBytes(bytes)), imports)
      .exports as Record<string, (...args: unknown[]) => unknown>;
    const more = (): unknown => exports['more']?.();
    exports['ambit:begin']?.(10n, 0, 0);
    expect([exports['run']?.(), exports['ambit:fuel']?.()]).toEqual([1, 6n]);
  });
});

describe('growth', () => {
  const grow = run('(memory.grow (local.get 0))', '(memory 1)', '(param i32) (result i32)');

  test('a memory grows to its limit and not beyond', () => {
    const instance = instanceOf(grow, { fuel: plenty, memoryPages: 3 });
    expect([instance.run(2), instance.refused(), instance.pages()]).toEqual([1, 0, 3]);
    expect([instance.run(1), instance.refused(), instance.pages()]).toEqual([-1, 1, 3]);
    expect([instance.run(-1), instance.refused(), instance.pages()]).toEqual([-1, 1, 3]);
  });

  test('refused growth costs only the instruction', () => {
    const instance = instanceOf(grow, { fuel: 2n, memoryPages: 3 });
    expect(outcomeOf(instance, 2n, 3)).toEqual({ ended: -1, used: 2n });
  });

  test('all tables together grow up to their limit', () => {
    const bytes = run(
      `(i32.add (i32.mul (i32.const 10) (table.grow $a (ref.null func) (local.get 0)))
        (table.grow $b (ref.null extern) (local.get 1)))`,
      '(table $a 1 funcref) (table $b 2 externref)',
      '(param i32 i32) (result i32)',
    );
    const instance = instanceOf(bytes, { fuel: plenty, tableGrowth: 10 });
    expect([instance.run(4, 6), instance.refused()]).toEqual([12, 0]);
    expect([instance.run(0, 1), instance.refused()]).toEqual([49, 2]);
  });

  test('a table stopped by its own maximum uses nothing of the limit', () => {
    const bytes = run(
      '(table.grow (ref.null func) (local.get 0))',
      '(table 1 2 funcref)',
      '(param i32) (result i32)',
    );
    const instance = instanceOf(bytes, { fuel: plenty, tableGrowth: 1 });
    expect([instance.run(1), instance.run(0), instance.refused()]).toEqual([1, 2, 0]);
    const stopped = instanceOf(bytes, { fuel: plenty, tableGrowth: 2 });
    expect([stopped.run(2), stopped.run(1), stopped.refused()]).toEqual([-1, 1, 0]);
  });
});

test('a start function waits for the budget and uses fuel', () => {
  const bytes = run(
    '(global.get $g)',
    '(global $g (mut i32) (i32.const 0)) (func $s (global.set $g (i32.const 5))) (start $s)',
  );
  const instance = instanceOf(bytes);
  expect(() => instance.start?.()).toThrow('unreachable');
  const budgeted = instanceOf(bytes, { fuel: 3n });
  budgeted.start?.();
  expect([budgeted.fuel(), budgeted.run(), budgeted.fuel()]).toEqual([1n, 5, 0n]);
  expect(instanceOf(run('(nop)', '', '')).start).toBeUndefined();
});

test('the name section is preserved, and other custom sections are removed', () => {
  const named = moduleFromSections([
    [0, [4, ...Buffer.from('name'), 1, 2, 3]],
    [0, [9, ...Buffer.from('producers'), 1]],
  ]);
  const module = new WebAssembly.Module(meteredBytes(named));
  expect([
    WebAssembly.Module.customSections(module, 'name').map((content) => [...new Uint8Array(content)]),
    WebAssembly.Module.customSections(module, 'producers'),
  ]).toEqual([[[1, 2, 3]], []]);
});

const oneFunction = (code: number[]): [number, number[]][] => [
  [1, [1, 0x60, 0, 0]],
  [3, [1, 0]],
  [10, [1, code.length + 2, 0, ...code, 0x0b]],
];

describe('features that cannot be metered', () => {
  test.each<[string, Uint8Array, string]>([
    [
      '64 bits of address',
      moduleOf('(module (memory i64 1))'),
      'uses memory64 (a memory), which cannot be metered',
    ],
    ['two memories', moduleOf('(module (memory 1) (memory 1))'), 'has more than one memory'],
    [
      'an imported memory and one of its own',
      moduleOf('(module (import "a" "m" (memory 1)) (memory 1))'),
      'has more than one memory',
    ],
    [
      'a shared memory',
      moduleOf('(module (memory 1 2 shared))'),
      'uses threads (a shared memory), which cannot be metered',
    ],
    [
      'atomics',
      run('(i32.atomic.load (i32.const 0))', '(memory 1)'),
      'uses threads, which cannot be metered',
    ],
    [
      'SIMD in code',
      run('(v128.any_true (v128.const i32x4 1 2 3 4))'),
      'uses SIMD, which untrusted skills may not use',
    ],
    [
      'SIMD in a global',
      moduleOf('(module (global v128 (v128.const i64x2 0 0)))'),
      'uses SIMD, which untrusted skills may not use',
    ],
    [
      'a structure',
      moduleFromSections([[1, [1, 0x5f, 0]]]),
      'uses garbage collection, which cannot be metered',
    ],
    [
      'an instruction on references to structures',
      moduleFromSections(oneFunction([0x41, 0, 0xfb, 0x1c, 0x1a])),
      'uses garbage collection, which cannot be metered',
    ],
    [
      'a reference to a type',
      moduleFromSections([[1, [1, 0x60, 1, 0x63, 0x70, 0]]]),
      'uses typed function references, which cannot be metered',
    ],
    [
      'a branch on a reference',
      moduleFromSections(oneFunction([0xd0, 0x70, 0xd4, 0x1a])),
      'uses typed function references, which cannot be metered',
    ],
    [
      'tables that are too large',
      moduleOf('(module (table 60000 funcref) (table 40001 externref))'),
      'has tables of 100001 elements, more than 100000',
    ],
    [
      'a reserved name',
      moduleOf('(module (func (export "ambit:fuel")))'),
      'exports "ambit:fuel"; names that start with "ambit:" are reserved',
    ],
    [
      'a component',
      Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0),
      'is a component, not a core module',
    ],
  ])('a module that cannot be metered is refused by name: %s', (_, bytes, problem) => {
    expect(meterModule(bytes, { untrusted: true })).toEqual({ status: 'refused', problem });
  });

  test('the closest modules that can be metered are accepted', () => {
    const full = '(module (memory 1) (table 60000 funcref) (table 40000 externref) (func (export "ambit")))';
    expect(meterModule(moduleOf(full), { untrusted: true }).status).toBe('metered');
    const simd = run('(v128.any_true (v128.const i32x4 1 2 3 4))');
    expect(outcomeOf(instanceOf(simd, { fuel: 2n }), 2n)).toEqual({ ended: 1, used: 2n });
  });
});

test('bytes that are not a module are refused with the message of the engine', () => {
  const whole = run(countdown);
  expect(meterModule(whole.subarray(0, whole.length - 3), { untrusted: true })).toEqual({
    status: 'refused',
    problem: expect.stringMatching(
      /^is not a valid WebAssembly module: WebAssembly\.Module\(\): section .+ extends past/,
    ),
  });
});

test('metering a module with any byte changed or cut off never throws, and the result is valid', () => {
  const whole = run(
    '(call $fib (i32.const 10))',
    `(memory 1) (table 1 funcref) (global (mut i32) (i32.const 0)) ${fibonacci}`,
  );
  const broken = [...whole.keys()].flatMap((index) => [
    whole.subarray(0, index),
    ...[0x00, 0x0b, 0x40, 0x7f, 0xfb, 0xff].map((byte) => whole.with(index, byte)),
  ]);
  const answers = broken.map((bytes) => meterModule(bytes, { untrusted: true }));
  const wrong = answers.filter(
    (answer, index) =>
      answer.status === 'metered' &&
      !(
        WebAssembly.validate(Uint8Array.from(broken[index] ?? [])) &&
        WebAssembly.validate(Uint8Array.from(answer.bytes))
      ),
  );
  expect([answers.length, wrong]).toEqual([7 * whole.length, []]);
});

describe('ambit:run', () => {
  const exportsOf = (text: string): WebAssembly.Exports =>
    new WebAssembly.Instance(new WebAssembly.Module(meteredBytes(moduleOf(text)))).exports;
  const call = (exports: WebAssembly.Exports, name: string, ...args: unknown[]): unknown =>
    (exports[name] as (...args: unknown[]) => unknown)(...args);

  test('ambit:run runs the start function and then run, stores the result and costs as much as both', () => {
    const exports = exportsOf(`(module (global $started (mut i32) (i32.const 0))
      (func $start (global.set $started (i32.const 7))) (start $start)
      (func (export "run") (result i32) (global.get $started)))`);
    call(exports, 'ambit:begin', plenty, 0, 0);
    expect([call(exports, 'ambit:run'), call(exports, 'ambit:returned')]).toEqual([undefined, 7]);
    expect(plenty - (call(exports, 'ambit:fuel') as bigint)).toBe(3n);
  });

  test('ambit:run stores 0 for a function that returns nothing, and runs the called function', () => {
    const text = '(module (func (export "run") (result i32) (i32.const 7)) (func (export "greet")))';
    const metered = meterModule(moduleOf(text), { untrusted: true, function: 'greet' });
    if (metered.status === 'refused') throw new Error(metered.problem);
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(metered.bytes)));
    call(exports, 'ambit:begin', plenty, 0, 0);
    expect([call(exports, 'ambit:run'), call(exports, 'ambit:returned')]).toEqual([undefined, 0]);
  });

  test('ambit:run traps when the fuel runs out in the start function or run', () => {
    for (const text of [
      '(module (func $start (nop) (nop)) (start $start) (func (export "run") (result i32) (i32.const 0)))',
      '(module (func (export "run") (result i32) (nop) (i32.const 0)))',
    ]) {
      const exports = exportsOf(text);
      call(exports, 'ambit:begin', 1n, 0, 0);
      expect(() => call(exports, 'ambit:run')).toThrow('unreachable');
      expect([call(exports, 'ambit:fuel'), call(exports, 'ambit:returned')]).toEqual([-1n, 0]);
    }
  });

  test.each([
    ['a run that takes something', '(module (func (export "run") (param i32) (result i32) (local.get 0)))'],
    ['a run that returns an i64', '(module (func (export "run") (result i64) (i64.const 0)))'],
    ['a run that returns two', '(module (func (export "run") (result i32 i32) (i32.const 0) (i32.const 0)))'],
    ['a run that is a memory', '(module (memory (export "run") 1))'],
    ['no run', '(module (func (export "runs") (result i32) (i32.const 0)))'],
  ])('ambit:run does not exist for %s', (_, text) => {
    expect(Object.keys(exportsOf(text)).filter((name) => name.startsWith('ambit:r'))).toEqual([
      'ambit:refused',
    ]);
  });
});
