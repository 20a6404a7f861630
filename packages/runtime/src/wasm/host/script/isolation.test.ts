// Threat model: T188

import { describe, expect, test } from 'vitest';
import { endOf, runScript, scriptOf } from '../../testing/script-world.ts';

const files = {
  'lib/y.js':
    'import { z } from "../z.mjs"; export const y = z + 1; export const up = () => import("../../etc/passwd");',
  'z.mjs': 'import data from "./data.json"; export const z = data.n;',
  'data.json': '{ "n": 1, "__proto__": 2 }',
};

describe('imports', () => {
  test('a script imports files of its folder, including JSON, statically and dynamically', async () => {
    const source = `
      import { y } from './lib/../lib/./y.js';
      import data from './data.json' with { type: 'json' };
      export default async () => [y, data, (await import('./z.mjs')).z, Object.keys(await import('ambit')).length];`;
    expect(await endOf({ ...files, 'index.js': source })).toEqual([
      2,
      JSON.parse('{ "n": 1, "__proto__": 2 }'),
      1,
      10,
    ]);
  });

  const outside = [
    '/etc/passwd',
    '../index.js',
    './../x.js',
    './lib/../../x.js',
    '../../../../etc/passwd',
    './lib/../..',
    'file:///etc/passwd',
    'node:fs',
    'fs',
    'std',
    'os',
    'qjs:std',
    'qjs:os',
    'http://127.0.0.1/x.js',
    'https://example.com/x.js',
    './%2e%2e/x.js',
    '.\\..\\x.js',
    './%00',
    '.',
    '..',
    './',
    '//x.js',
    './/z.mjs',
    './z.mjs?x',
    './z.mjs#x',
    './Z.mjs',
    'index.js',
    'ambit/x',
    './ambit',
    'ambit:check',
    'ambit:end',
    './constructor',
    './__proto__',
    'C:/x.js',
    '',
    ' ./z.mjs',
    'data:text/javascript,export default 1',
  ];

  test.each(outside)('the static import of %j is refused', async (specifier) => {
    const script = scriptOf({
      ...files,
      'index.js': `import ${JSON.stringify(specifier)}; export default () => 1`,
    });
    await expect(script).rejects.toThrow(
      /^cannot be run: ReferenceError: (index.js imports |.* does not exist in the skill's folder)/,
    );
  });

  test('a file name that looks like an error message is a file name', async () => {
    const source = 'import n from "./it imports x.js"; export default () => n';
    expect(await endOf({ 'index.js': source, 'it imports x.js': 'export default 1' })).toBe(1);
    await expect(scriptOf(source)).rejects.toThrow(
      "cannot be run: ReferenceError: it imports x.js does not exist in the skill's folder",
    );
  });

  test('the dynamic import of a path outside throws, from a file, from eval and from Function', async () => {
    const source = `
      const attempt = async (load) => { try { await load(); return 'loaded'; } catch (error) { return error.name; } };
      export default async (specifiers) => {
        const ends = new Set();
        for (const specifier of specifiers) {
          ends.add(await attempt(() => import(specifier)));
          ends.add(await attempt(() => eval('import(' + JSON.stringify(specifier) + ')')));
          ends.add(await attempt(() => (0, eval)('import(' + JSON.stringify(specifier) + ')')));
          ends.add(await attempt(() => new Function('s', 'return import(s)')(specifier)));
        }
        ends.add(await attempt((await import('./lib/y.js')).up));
        return [...ends];
      }`;
    expect(await endOf({ ...files, 'index.js': source }, { input: outside })).toEqual([
      'ReferenceError',
      // Indirect eval belongs to no file, so it cannot import.
      'TypeError',
    ]);
  });

  test('a NUL ends an import name', async () => {
    const source = `export default async () => [(await import('./z.mjs\\0/../../x')).z,
      await import('../z.mjs\\0').catch((error) => error.name)]`;
    expect(await endOf({ ...files, 'index.js': source })).toEqual([1, 'ReferenceError']);
  });

  test('the error of an import names the importer and what can be imported', async () => {
    const source = 'export default () => import("node:fs")';
    expect(await endOf(source)).toEqual({
      status: 'failed',
      trap: `ReferenceError: index.js imports "node:fs", and only 'ambit' and paths that begin with ./ or ../ can be imported`,
    });
  });
});

describe('globals', () => {
  const language = [
    'AggregateError',
    'Array',
    'ArrayBuffer',
    'BigInt',
    'BigInt64Array',
    'BigUint64Array',
    'Boolean',
    'DataView',
    'Date',
    'Error',
    'EvalError',
    'FinalizationRegistry',
    'Float16Array',
    'Float32Array',
    'Float64Array',
    'Function',
    'Infinity',
    'Int16Array',
    'Int32Array',
    'Int8Array',
    'InternalError',
    'Iterator',
    'JSON',
    'Map',
    'Math',
    'NaN',
    'Number',
    'Object',
    'Promise',
    'Proxy',
    'RangeError',
    'ReferenceError',
    'Reflect',
    'RegExp',
    'Set',
    'SharedArrayBuffer',
    'String',
    'Symbol',
    'Symbol(Symbol.toStringTag)',
    'SyntaxError',
    'TypeError',
    'URIError',
    'Uint16Array',
    'Uint32Array',
    'Uint8Array',
    'Uint8ClampedArray',
    'WeakMap',
    'WeakRef',
    'WeakSet',
    'decodeURI',
    'decodeURIComponent',
    'encodeURI',
    'encodeURIComponent',
    'escape',
    'eval',
    'globalThis',
    'isFinite',
    'isNaN',
    'parseFloat',
    'parseInt',
    'undefined',
    'unescape',
  ];

  test.each([
    ['unchanged', 'globalThis'],
    ['through eval', '(0, eval)("this")'],
    ['through Function', 'new Function("return this")()'],
    ['through a function of the host', '(await import("ambit")).env.constructor("return this")()'],
    ['through a generator', '(function* () {}).constructor("yield this")().next().value'],
  ])('the only globals are the language and a console: %s', async (_, world) => {
    const source = `export default async () => Reflect.ownKeys(${world}).map(String).sort()`;
    expect(await endOf(source)).toEqual([...language, 'console'].sort());
  });

  test('values from the host belong to the script’s world and do not lead out of it', async () => {
    const source = `
      import * as ambit from 'ambit';
      export default () => {
        const value = ambit.context();
        const reached = [value, value.list, value.__proto__, ambit.context, console, console.log];
        return [
          value.constructor === Object, value.list.constructor === Array, Object.keys(value), value.polluted ?? null,
          reached.every((each) => each.constructor.constructor === Function), Object.keys(ambit).sort(),
        ];
      }`;
    const context = JSON.parse('{ "list": [1], "__proto__": { "polluted": 1 } }');
    expect(await endOf(source, { invoke: () => context })).toEqual([
      true,
      true,
      ['list', '__proto__'],
      null,
      true,
      [
        'context',
        'env',
        'fetch',
        'log',
        'progress',
        'readFile',
        'recallMemory',
        'stateGet',
        'stateSet',
        'writeFile',
      ],
    ]);
  });

  test('the console writes to the log, one line for each call', async () => {
    const source = `import { log } from 'ambit';
      export default () => {
        console.log('a', { b: 1 }, [undefined], undefined, () => 1); console.warn(); console.error('\\0\\ud800');
        console.info(Symbol('s')); console.debug(1n); log('x', new Error('y').message); return null;
      }`;
    const { verdict, log } = await runScript(source);
    expect({ verdict, log }).toEqual({
      verdict: { status: 'returned' },
      log: ['a {"b":1} [null] undefined () => 1', '', '\0\ud800', '[unprintable value]', '1n', 'x y'],
    });
  });
});
