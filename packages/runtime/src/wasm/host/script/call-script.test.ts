import { describe, expect, test } from 'vitest';
import { isWhole } from '../../../../../../test/support/whole.ts';
import { endOf, runScript, scriptOf } from '../../testing/script-world.ts';

const MiB = 1024 * 1024;

describe('the default export', () => {
  test.each([
    ['a value', 'export default (input) => input.list.length', 2],
    [
      'a promise of one',
      'export default async (input) => { await null; return input.text; }',
      'ü€😀\u0000\ud800',
    ],
    ['a thenable', 'export default () => ({ then: (done) => done(7) })', 7],
    ['null', 'export default () => null', null],
    ['null in a list, and the largest number', 'export default () => [null, 1e308]', [null, 1e308]],
    [
      'a class of its own',
      'class A { #b = 1; get b() { return this.#b; } toJSON() { return [this.b]; } } export default () => new A()',
      [1],
    ],
    ['a function declared', 'export default function (input) { return typeof input; }', 'object'],
  ])('the default export gets the input and returns the output: %s', async (_, source, output) => {
    const answer = await runScript(source, { input: { list: [1, 2], text: 'ü€😀\u0000\ud800' } });
    expect(answer).toEqual({
      verdict: { status: 'returned' },
      output,
      log: [],
      fuelConsumed: expect.any(Number),
      memoryPeakBytes: 16 * MiB,
    });
  });

  test('pending jobs are dropped when the returned promise settles', async () => {
    const source = 'export default () => { (async () => { for (;;) await null; })(); return 1; }';
    expect(await endOf(source)).toBe(1);
  });

  test('a script that replaces built-ins does not change how input and output are converted', async () => {
    const source = `
      JSON.parse = () => 'mine'; JSON.stringify = () => 'mine'; delete globalThis.JSON;
      Promise.prototype.then = () => 'mine'; Object.prototype.default = 'mine'; globalThis.Error = Array;
      export default async (input) => ({ input });`;
    expect(await endOf(source, { input: [1] })).toEqual({ input: [1] });
  });
});

test.each([
  'export default () => {}',
  'export default () => () => 1',
  'export default async () => Symbol("a")',
])('a value that JSON cannot represent is no output: %s', async (source) => {
  expect(await endOf(source)).toEqual({ status: 'returned' });
});

describe('failures', () => {
  const failed = (trap: string) => ({ status: 'failed', trap });

  test.each([
    [
      'a promise that never settles',
      'export default () => new Promise(() => {})',
      'the default export returned a promise that never settles',
    ],
    [
      'an error',
      'export default () => {\n  throw new TypeError("no\\0 way");\n}',
      'TypeError: no\0 way\n    at default (index.js:2:22)',
    ],
    [
      'an error on loading',
      'null.x;\nexport default 1',
      "TypeError: cannot read property 'x' of null\n    at <anonymous> (index.js:1:5)",
    ],
    [
      'a rejection',
      'export default async () => { throw new RangeError("far"); }',
      'RangeError: far\n    at default (index.js:1:50)',
    ],
    ['a BigInt', 'export default () => 1n', 'TypeError: Do not know how to serialize a BigInt'],
    ['a circle', 'const a = []; a.push(a); export default () => a', 'TypeError: circular reference'],
    [
      'a Number object that is not finite, whatever its prototype',
      'export default () => ({ a: Object.setPrototypeOf(new Number(NaN), Object.prototype) })',
      'Error: JSON cannot hold NaN; use a finite number',
    ],
    ['an object', 'export default () => { throw { a: 1 }; }', 'it threw {"a":1}'],
    ['a symbol', 'export default () => { throw Symbol("s"); }', 'it threw a symbol'],
    ['undefined', 'export default () => { throw undefined; }', 'it threw a undefined'],
    [
      'an error that will not be shown',
      'export default () => { throw Object.defineProperty(new Error(), "message", { get() { throw 1; } }); }',
      'it threw an unprintable value',
    ],
    [
      'exit',
      'export default () => exit(0)',
      "ReferenceError: 'exit' is not defined\n    at default (index.js:1:22)",
    ],
  ])('a script that does not return fails with a message: %s', async (_, source, trap) => {
    expect(await endOf(source)).toEqual(failed(trap));
  });

  test('the message of a failure has a maximum length', async () => {
    const { verdict } = await runScript('export default () => { throw new Error("x".repeat(1e6)); }');
    expect(verdict).toEqual(failed(`Error: ${'x'.repeat(3993)}`));
  });
});

describe('invalid scripts', () => {
  const refusal = async (files: Parameters<typeof scriptOf>[0]) =>
    scriptOf(files).then(
      () => 'not refused',
      (error: Error) => error.message,
    );

  test.each([
    [
      'a syntax error',
      { 'index.js': 'export default (' },
      "cannot be run: SyntaxError: unexpected token in expression: ''\n    at index.js:1:17",
    ],
    [
      'a syntax error in what it imports',
      { 'index.js': 'import "./lib/y.js"; export default () => 1', 'lib/y.js': '\nlet a = ;' },
      "cannot be run: SyntaxError: unexpected token in expression: ';'\n    at lib/y.js:2:9",
    ],
    [
      'no default export',
      { 'index.js': 'export const run = () => 1; throw 1' },
      "cannot be run: SyntaxError: Could not find export 'default' in module 'index.js'",
    ],
    [
      'an import of what is not exported',
      { 'index.js': 'import { exec } from "ambit"; export default exec' },
      "cannot be run: SyntaxError: Could not find export 'exec' in module 'ambit'",
    ],
    [
      'an import of what is not there',
      { 'index.js': 'import "./x.js"; export default 1' },
      "cannot be run: ReferenceError: x.js does not exist in the skill's folder",
    ],
    ['no entry', { 'other.js': 'export default 1' }, 'is not a .js or .mjs file of the skill'],
    [
      'a NUL character',
      { 'index.js': 'export default 1;\0evil' },
      'cannot be run: SyntaxError: index.js contains a NUL character',
    ],
    [
      'bytes that are no text',
      { 'index.js': Uint8Array.of(0xff) },
      'cannot be run: SyntaxError: index.js is not UTF-8',
    ],
    [
      'JSON that is none',
      { 'index.js': 'import "./a.json"; export default 1', 'a.json': '{' },
      expect.stringMatching(/^cannot be run: SyntaxError: a.json is not JSON: /),
    ],
    [
      'brackets without an end',
      { 'index.js': `export default ${'('.repeat(1e6)}` },
      'cannot be parsed: Maximum call stack size exceeded',
    ],
  ])('an invalid script is refused before it runs: %s', async (_, files, problem) => {
    expect(await refusal(files)).toEqual(problem);
  });

  test('only files that are imported are checked', async () => {
    const call = await scriptOf({
      'index.js': 'export default (name) => name && import(name).catch(String)',
      'tsconfig.json': '{ // strict\n }',
      'old.js': 'let a = ;',
      'package.json': Uint8Array.of(0xff),
      'a.json': '{"a":1}',
    });
    expect((await call({ input: '' })).output).toBe('');
    expect((await call({ input: './package.json' })).output).toBe('SyntaxError: package.json is not UTF-8');
    expect((await call({ input: './a.json' })).output).toEqual({ default: { a: 1 } });
  });

  test('a default export that is not a function is refused at the call', async () => {
    expect(await endOf('export default 1')).toEqual({
      status: 'refused',
      problem: 'has a default export that is not a function',
    });
  });
});

test('a call that used up its memory leaves the next call all of its memory', async () => {
  const call = await scriptOf('export default (n) => new Uint8Array(n * 1048576).length');
  expect((await call({ input: 100 })).verdict).toEqual({ status: 'out-of-memory' });
  expect((await call({ input: 30 })).output).toBe(30 * MiB);
});

describe('limits', () => {
  test.each([
    ['objects', 'export default () => { const a = []; for (;;) a.push({ a }); }'],
    ['arrays of bytes', 'export default () => { const a = []; for (;;) a.push(new Uint8Array(1e6)); }'],
    [
      'strings',
      'export default () => { const a = []; for (let i = 0; ; i++) a.push("x".repeat(1e6) + i + "€"); }',
    ],
    [
      'a catch',
      'export default () => { const a = []; try { for (;;) a.push(new Uint8Array(1e6)); } catch { a.length = 0; return 1; } }',
    ],
    ['a regular expression', 'export default () => /(a|b)*c/.test("ab".repeat(4e6))'],
  ])('a script cannot exceed its memory, even if it catches errors: %s', async (_, source) => {
    const { verdict, memoryPeakBytes } = await runScript(source, { memoryBytes: 32 * MiB });
    expect({ verdict, within: memoryPeakBytes <= 32 * MiB }).toEqual({
      verdict: { status: 'out-of-memory' },
      within: true,
    });
  });

  test('less memory than the engine needs is out of memory', async () => {
    expect(await endOf('export default () => 1', { memoryBytes: 16 * MiB - 1 })).toEqual({
      status: 'out-of-memory',
    });
    expect(await endOf('export default () => 1', { memoryBytes: 16 * MiB })).toBe(1);
  });

  test('an input that does not fit into memory is out of memory', async () => {
    const call = await scriptOf('export default (text) => text.length');
    expect((await call({ input: 'x'.repeat(10 * MiB), memoryBytes: 16 * MiB })).verdict).toEqual({
      status: 'out-of-memory',
    });
  });

  test('a string of the maximum length is possible, and a longer one is not', async () => {
    const source = 'export default () => { let s = "x"; for (;;) s += s; }';
    expect(await endOf(source, { memoryBytes: 2048 * MiB })).toEqual({
      status: 'failed',
      trap: 'InternalError: string too long\n    at default (index.js:1:48)',
    });
  });

  test.each([
    ['a loop', 'export default () => { for (;;); }'],
    [
      'a loop that catches',
      'export default () => { for (;;) try { for (;;); } catch {} finally { continue; } }',
    ],
    ['a loop of promises', 'export default async () => { for (;;) await null; }'],
    ['a loop on loading', 'for (;;); export default 1'],
    ['a regular expression', 'export default () => /(x+x+)+y/.test("x".repeat(50))'],
    [
      'sorting',
      'export default () => { for (;;) Array.from({ length: 1e5 }, (_, i) => -i).sort((a, b) => a - b); }',
    ],
    ['one call of the language', 'export default () => "x".repeat(1e8).split("").length'],
  ])('a script cannot exceed its fuel: %s', async (_, source) => {
    const { verdict, fuelConsumed } = await runScript(source, { fuel: 100_000_000n, memoryBytes: 512 * MiB });
    expect({ verdict, fuelConsumed }).toEqual({
      verdict: { status: 'out-of-fuel' },
      fuelConsumed: 100_000_000,
    });
  });

  test.each([1n, 100n, 10_000n])('fuel can run out before the script starts: %d', async (fuel) => {
    expect(await runScript('export default () => 1', { fuel })).toEqual({
      verdict: { status: 'out-of-fuel' },
      output: undefined,
      log: [],
      fuelConsumed: Number(fuel),
      memoryPeakBytes: 16 * MiB,
    });
  });

  test.each([
    ['calls', 'const f = () => f() + 1;'],
    ['calls through the language', 'const f = () => [1].map(f);'],
    ['getters', 'const o = { get f() { return o.f; } }; const f = () => o.f;'],
    ['proxies', 'const p = new Proxy({}, { get: (_, key) => p[key] }); const f = () => p.x;'],
    ['constructors', 'class A { a = new A(); } const f = () => new A();'],
  ])('calls or values nested too deep throw an error: %s', async (_, source) => {
    expect(
      await endOf(`${source} export default () => { try { f(); } catch (error) { return String(error); } }`),
    ).toBe('InternalError: stack overflow');
  });

  test.each([
    ['a value', 'export default () => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a; }'],
    ['JSON', 'export default () => JSON.parse("[".repeat(1e6))'],
    ['source text', 'export default () => eval("(".repeat(1e6))'],
  ])('nesting too deep inside the engine fails: %s', async (_, source) => {
    expect((await runScript(source)).verdict).toEqual({
      status: 'failed',
      trap: expect.stringMatching(/stack overflow|call stack too deep/),
    });
  });
});

describe('determinism', () => {
  test('the same input uses the same fuel each time, with random numbers, dates, keys and garbage collection', async () => {
    const call = await scriptOf(`
      export default (input) => {
        const map = new Map(); const set = new WeakSet();
        for (let i = 0; i < 200; i++) { const o = { i, r: Math.random() }; map.set(o, String(o.r)); set.add(o); }
        new Date().getTime(); Date.now();
        return [...map.values()].sort().join().length + input.text.split(/\\s+/).length;
      }`);
    const input = { text: 'the same input takes the same fuel' };
    const ends = new Set<string>();
    for (let index = 0; index < (isWhole ? 200 : 20); index++) {
      const { fuelConsumed, output, memoryPeakBytes } = await call({ input });
      ends.add(JSON.stringify([fuelConsumed, output, memoryPeakBytes]));
    }
    expect(ends.size).toBe(1);
  });

  test('the same input gets the same random numbers, and another input gets others', async () => {
    const call = await scriptOf('export default () => [Math.random(), Math.random()]');
    const { output } = await call({ input: 1 });
    expect((await call({ input: 1 })).output).toEqual(output);
    expect((await call({ input: 2 })).output).not.toEqual(output);
  });
});
