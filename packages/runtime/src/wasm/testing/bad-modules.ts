import type { OutcomeStatus } from '@ambit/core/outcome';
import { section, text, vector, wasmHeader, withLength } from '../host/wasm-section.mjs';
import { commandOf, dataAt, moduleOf, pluginOf, pluginThatOutputs } from './module-of.ts';

/** The end of a module's call; `refused` is an entry that cannot be called. */
type Expected = { status: OutcomeStatus | 'refused' } & ({ trap: string } | { words: RegExp } | object);

/** A module that is harmful, broken, or only looks like it. */
export interface GalleryModule {
  name: string;
  kind: 'plugin' | 'command';
  /** Created on demand: some take a while. */
  bytes: () => Uint8Array;
  /** With 2 MiB of memory, 64 KiB of output and any fuel. */
  expected: Expected;
  /** Only a deadline ends it in time. */
  needs?: 'deadline';
}

const encoded = (content: string): Uint8Array => new TextEncoder().encode(content);
const page = '(memory (export "memory") 1)';
const zero = '(i32.const 0)';
const forEver = '(loop $for_ever (br $for_ever))';
const growth = '(memory.grow (i32.const 1))';
const recursion = '(func $deeper (param i64) (call $deeper (local.get 0)) (call $deeper (local.get 0)))';
const growingTable = `(table $t 1 funcref)`;
const tableGrowth = '(table.grow $t (ref.null func) (i32.const 10))';
const inBoth = ['plugin', 'command'] as const;

/** The same body in a plug-in's `run` and in a command's `_start`. */
function both(name: string, body: string, fields: string, expected: Expected): GalleryModule[] {
  return inBoth.map((kind) => ({
    name,
    kind,
    bytes: () => (kind === 'plugin' ? pluginOf(`${body} ${zero}`, fields) : commandOf(body, fields)),
    expected,
  }));
}

const noModules: GalleryModule[] = inBoth.flatMap((kind): GalleryModule[] => [
  {
    name: 'nothing',
    kind,
    bytes: () => new Uint8Array(),
    expected: { status: 'refused', words: /is empty/ },
  },
  {
    name: 'a native program',
    kind,
    bytes: () => encoded('\u007fELF\u0002\u0001\u0001'),
    expected: { status: 'refused', words: /is not WebAssembly/ },
  },
  {
    name: 'a manifest that asks for hosts and paths',
    kind,
    bytes: () =>
      encoded(
        '{"wasm":[{"path":"/etc/passwd"}],"allowed_hosts":["*"],"allowed_paths":{"/":"/"},"config":{}}',
      ),
    expected: { status: 'refused', words: /is JSON, and a plug-in cannot have its own manifest/ },
  },
  {
    name: 'a component',
    kind,
    bytes: () => Uint8Array.from([0x00, 0x61, 0x73, 0x6d, 0x0d, 0x00, 0x01, 0x00]),
    expected: { status: 'refused', words: /is a WebAssembly component/ },
  },
  {
    name: 'an unknown version',
    kind,
    bytes: () => Uint8Array.from([0x00, 0x61, 0x73, 0x6d, 0x02, 0x00, 0x00, 0x00]),
    expected: { status: 'refused', words: /has a WebAssembly version other than 1/ },
  },
  {
    name: 'a module that ends too early',
    kind,
    bytes: () => moduleBytes(kind).subarray(0, -1),
    expected: { status: 'refused' },
  },
  {
    name: 'a module with a byte too many',
    kind,
    bytes: () => Uint8Array.from([...moduleBytes(kind), 0]),
    expected: { status: 'refused' },
  },
]);

function moduleBytes(kind: GalleryModule['kind']): Uint8Array {
  return kind === 'plugin' ? pluginThatOutputs('1') : commandOf('');
}

const linking: GalleryModule[] = [
  ...both('an unavailable import', '', `(import "env" "system" (func)) ${page}`, {
    status: 'refused',
    words: /imports functions or values that WASM skills do not have: env system \(function\)/,
  }),
  {
    name: 'an import of another type',
    kind: 'plugin',
    bytes: () =>
      moduleOf(`(module (import "extism:host/env" "alloc" (func (param i32) (result i32)))
        (func (export "run") (result i32) (i32.const 0)))`),
    expected: { status: 'refused', words: /cannot be linked/ },
  },
  {
    name: 'no run',
    kind: 'plugin',
    bytes: () => moduleOf('(module (import "extism:host/env" "input_length" (func (result i64))))'),
    expected: { status: 'refused', words: /does not export run/ },
  },
  {
    name: 'no _start',
    kind: 'command',
    bytes: () => moduleOf('(module (func (export "main")))'),
    expected: { status: 'refused', words: /_start/ },
  },
  {
    name: 'a run of another type',
    kind: 'plugin',
    bytes: () => moduleOf('(module (func (export "run") (param i64) (result i64) (local.get 0)))'),
    expected: { status: 'refused', words: /cannot be linked/ },
  },
  {
    name: 'a _start of another type',
    kind: 'command',
    bytes: () => moduleOf('(module (func (export "_start") (param i64) (result i64) (local.get 0)))'),
    expected: { status: 'refused', words: /cannot be linked/ },
  },
];

const endless: GalleryModule[] = [
  ...both('an endless loop', forEver, page, { status: 'out-of-fuel' }),
  ...both('an endless loop in the start function', '', `${page} (func $start ${forEver}) (start $start)`, {
    status: 'out-of-fuel',
  }),
  {
    name: 'an endless loop in _initialize',
    kind: 'plugin',
    bytes: () => pluginOf(zero, `${page} (func (export "_initialize") ${forEver})`),
    expected: { status: 'out-of-fuel' },
  },
  ...both(
    'a handler of all exceptions in a loop',
    '(loop $again (try (do (throw $thrown)) (catch_all)) (br $again))',
    `(tag $thrown) ${page}`,
    { status: 'out-of-fuel' },
  ),
  ...both('endless memory growth that ignores failures', `(loop $again (drop ${growth}) (br $again))`, page, {
    status: 'out-of-fuel',
  }),
  ...both(
    'endless table growth that ignores failures',
    `(loop $again (drop ${tableGrowth}) (br $again))`,
    `${growingTable} ${page}`,
    { status: 'out-of-fuel' },
  ),
  {
    name: 'endless random numbers, which cost the host more than fuel',
    kind: 'command',
    bytes: () =>
      commandOf('(loop $again (drop (call $random_get (i32.const 0) (i32.const 65536))) (br $again))'),
    expected: { status: 'timed-out' },
    needs: 'deadline',
  },
  {
    name: 'an endless sleep',
    kind: 'command',
    // The subscription at address 0 is for the monotonic clock (1) and 2 to the 62nd nanoseconds.
    bytes: () =>
      commandOf(
        `(i32.store (i32.const 16) (i32.const 1))
         (i64.store (i32.const 24) (i64.const 0x4000000000000000))
         (drop (call $poll_oneoff (i32.const 0) (i32.const 64) (i32.const 1) (i32.const 128)))`,
      ),
    expected: { status: 'timed-out' },
    needs: 'deadline',
  },
];

const greedy: GalleryModule[] = [
  ...both('endless recursion', '(call $deeper (i64.const 0))', `${page} ${recursion}`, {
    status: 'failed',
    trap: 'Maximum call stack size exceeded',
  }),
  ...both('unreachable', '(unreachable)', page, { status: 'failed', trap: 'unreachable' }),
  ...both('a trap within a handler of all exceptions', '(try (do (unreachable)) (catch_all))', page, {
    status: 'failed',
    trap: 'unreachable',
  }),
  ...both(
    'memory growth up to the limit, and then a trap',
    `(loop $again (br_if $again (i32.ne ${growth} (i32.const -1)))) (unreachable)`,
    page,
    { status: 'out-of-memory' },
  ),
  ...both('4 GiB of memory declared', '', '(memory (export "memory") 65536)', { status: 'out-of-memory' }),
  ...both('data beyond the memory', '', `${page} ${dataAt(65535, 'xy')}`, {
    status: 'failed',
    words: /data segment 0 is out of bounds/,
  }),
  ...both(
    'table growth up to the limit, and then a trap',
    `(loop $again (br_if $again (i32.ne ${tableGrowth} (i32.const -1)))) (unreachable)`,
    `${growingTable} ${page}`,
    { status: 'failed', trap: 'unreachable' },
  ),
  ...both(
    'table growth by 1,000 elements, which succeeds, and by one more, which does not',
    `(if (i32.ne (table.grow $t (ref.null func) (i32.const 1000)) (i32.const 1)) (then ${forEver}))
     (if (i32.ne (table.grow $t (ref.null func) (i32.const 1)) (i32.const -1)) (then ${forEver}))
     (unreachable)`,
    `${growingTable} ${page}`,
    { status: 'failed', trap: 'unreachable' },
  ),
  {
    name: 'an output of 1 GB',
    kind: 'plugin',
    bytes: () =>
      pluginOf(
        `(local.set $here (call $alloc (i64.const 1000000000))) (call $output_set (local.get $here) (i64.const 1000000000)) ${zero}`,
      ),
    expected: { status: 'out-of-memory' },
  },
  {
    name: 'an output as large as its memory',
    kind: 'plugin',
    bytes: () =>
      pluginOf(
        `(local.set $here (call $alloc (i64.const 1000000))) (call $output_set (local.get $here) (i64.const 1000000)) ${zero}`,
      ),
    expected: { status: 'output-too-large' },
  },
  {
    name: 'an output of 1 GB',
    kind: 'command',
    bytes: () =>
      commandOf(
        `(loop $again (call $print (i32.const 1) (i32.const 0) (i32.const 1000))
          (br_if $again (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (i32.const 1000000))))`,
      ),
    expected: { status: 'output-too-large' },
  },
  {
    name: 'an output that is not JSON',
    kind: 'plugin',
    bytes: () => pluginThatOutputs('{"unfinished":'),
    expected: { status: 'output-invalid' },
  },
  {
    name: 'an output that is not JSON',
    kind: 'command',
    bytes: () =>
      commandOf('(call $print (i32.const 1) (i32.const 0) (i32.const 5))', `${page} ${dataAt(0, 'hello')}`),
    expected: { status: 'output-invalid' },
  },
  {
    name: 'an exit with 9 in a handler of all exceptions, and then a trap',
    kind: 'command',
    bytes: () => commandOf('(try (do (call $proc_exit (i32.const 9))) (catch_all)) (unreachable)'),
    expected: { status: 'failed' },
  },
];

const features: GalleryModule[] = [
  ...both('SIMD', '(drop (i8x16.add (v128.const i64x2 1 2) (v128.const i64x2 3 4)))', page, {
    status: 'refused',
    words: /SIMD/i,
  }),
  ...both(
    'threads',
    '(drop (i32.atomic.rmw.add (i32.const 0) (i32.const 1)))',
    '(memory (export "memory") 1 1 shared)',
    { status: 'refused', words: /shared|thread|atomic/i },
  ),
  ...both('a memory of 64 bits', '', '(memory (export "memory64") i64 1)', {
    status: 'refused',
    words: /64/,
  }).filter(({ kind }) => kind === 'plugin'),
  ...both('two memories', '', `${page} (memory 1)`, { status: 'refused', words: /more than one memory/ }),
  {
    name: 'an export with a reserved name',
    kind: 'command',
    bytes: () => commandOf('', `${page} (func (export "ambit:fuel") (result i64) (i64.const 1000))`),
    expected: { status: 'refused', words: /ambit:/ },
  },
];

const outputOne = '(call $print (i32.const 1) (i32.const 0) (i32.const 1))';
const one = `${page} ${dataAt(0, '1')}`;

/** Large modules that are valid. */
const large: GalleryModule[] = [
  {
    name: 'forty thousand locals',
    kind: 'command',
    bytes: () =>
      commandOf(`(call $many) ${outputOne}`, `${one} (func $many (local ${'i32 '.repeat(40_000)}))`),
    expected: { status: 'succeeded' },
  },
  {
    name: 'one local more than the engine takes',
    kind: 'command',
    bytes: () =>
      commandOf(`(call $many) ${outputOne}`, `${one} (func $many (local ${'i32 '.repeat(50_001)}))`),
    expected: { status: 'refused' },
  },
  {
    name: 'ten thousand functions',
    kind: 'command',
    bytes: () =>
      commandOf(outputOne, `${one} ${'(func (param i32) (result i32) (local.get 0))'.repeat(10_000)}`),
    expected: { status: 'succeeded' },
  },
  {
    name: 'ten thousand blocks within each other, and no output',
    kind: 'command',
    bytes: () => nestedBlocks(10_000),
    expected: { status: 'output-invalid' },
  },
];

/**
 * As text, for depth 2: `(module (func (export "_start") (block (block))))`. The parser would be
 * very slow for large depths.
 */
function nestedBlocks(depth: number): Uint8Array {
  const block = [0x02, 0x40];
  const end = 0x0b;
  const code = [...Array.from({ length: depth }, () => block).flat(), ...new Array(depth + 1).fill(end)];
  return Uint8Array.from([
    ...wasmHeader,
    ...section(1, vector([[0x60, 0, 0]])),
    ...section(3, vector([[0]])),
    ...section(7, vector([[...text('_start'), 0x00, 0]])),
    // A function's code is prefixed with its length, like a section.
    ...section(10, [1, ...withLength([0, ...code])]),
  ]);
}

/** All modules, for suites that run each of them. */
export const badModules: readonly GalleryModule[] = [
  ...noModules,
  ...linking,
  ...endless,
  ...greedy,
  ...features,
  ...large,
];
