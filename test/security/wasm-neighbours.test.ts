// Threat model: T180, T181

import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../packages/core/src/execute.ts';
import { moduleOf } from '../../packages/runtime/src/wasm/testing/module-of.ts';
import { command } from '../support/wasm/command.ts';
import { plugin } from '../support/wasm/plugin.ts';
import { execution, stage } from './support/attacker.ts';
import { callers, lastCaller } from './support/callers.ts';
import type { ExecutionLine } from './support/protocol.ts';
import { answerOf, type Kind, kinds } from './support/wasm/asking.ts';
import { askingSkill, wasmSkill } from './support/wasm/wasm-skill.ts';

/** Prints the character that `found` selects: `1` for an existing mark, `0` for none. */
const answersFound = (found: string): string => `
  (i32.store8 (i32.const 100) (i32.add (i32.const 48) ${found}))
  (call $print (i32.const 1) (i32.const 100) (i32.const 1))`;

/** A module that prints 1 if it finds a mark in one place, and leaves one there. */
const places: [place: string, content: string | Uint8Array][] = [
  [
    'the memory of a command',
    command(`${answersFound('(i32.load8_u (i32.const 200))')} (i32.store8 (i32.const 200) (i32.const 1))`),
  ],
  [
    'the answer of a host function, before any request',
    command(
      `(call $answer (i32.const 300))
       ${answersFound('(i32.ne (i32.load8_u (i32.const 300)) (i32.const 0))')}
       (drop (call $invoke (i32.const 0) (i32.const 7) (i32.const 7) (i32.const 2)))`,
      'context[]',
      `(import "ambit" "invoke" (func $invoke (param i32 i32 i32 i32) (result i32)))
       (import "ambit" "answer" (func $answer (param i32)))`,
    ),
  ],
  [
    'globals and tables',
    moduleOf(`(module
      (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
      (memory (export "memory") 1)
      (global $mark (mut i32) (i32.const 0))
      (table $table 1 funcref)
      (elem declare func $nothing)
      (func $nothing)
      (func (export "_start")
        (i32.store8 (i32.const 100) (i32.add (i32.const 48)
          (i32.or (global.get $mark) (i32.eqz (ref.is_null (table.get $table (i32.const 0)))))))
        (global.set $mark (i32.const 1))
        (table.set $table (i32.const 0) (ref.func $nothing))
        (i32.store (i32.const 0) (i32.const 100))
        (i32.store (i32.const 4) (i32.const 1))
        (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))))`),
  ],
  [
    'descriptors that were closed',
    command(
      `${answersFound('(call $fd_fdstat_get (i32.const 0) (i32.const 400))')}
       (drop (call $fd_close (i32.const 0)))`,
      '',
      `(import "wasi_snapshot_preview1" "fd_close" (func $fd_close (param i32) (result i32)))
       (import "wasi_snapshot_preview1" "fd_fdstat_get" (func $fd_fdstat_get (param i32 i32) (result i32)))`,
    ),
  ],
  [
    'the variables and the memory of a plug-in',
    plugin(
      `(local.set $at (i64.extend_i32_u (i32.or
         (i64.ne (call $var_get (call $text)) (i64.const 0))
         (i32.load8_u (i32.const 60000)))))
       (local.set $here (call $alloc (i64.const 1)))
       (call $store_u8 (local.get $here) (i32.add (i32.const 48) (i32.wrap_i64 (local.get $at))))
       (call $var_set (call $text) (call $text))
       (i32.store8 (i32.const 60000) (i32.const 1))
       (call $output_set (local.get $here) (i64.const 1))
       (i32.const 0)`,
      'mark',
    ),
  ],
  [
    "blocks of Extism's, by their addresses",
    plugin(`
      (local.set $here (call $alloc (i64.const 8)))
      (local.set $at (i64.extend_i32_u (call $load_u8 (i64.add (local.get $here) (i64.const 1)))))
      (call $store_u8 (i64.add (local.get $here) (i64.const 1)) (i32.const 1))
      (local.set $here (call $alloc (i64.const 1)))
      (call $store_u8 (local.get $here) (i32.add (i32.const 48) (i32.wrap_i64 (local.get $at))))
      (call $output_set (local.get $here) (i64.const 1))
      (i32.const 0)`),
  ],
  ...[
    'globalThis',
    'Object.prototype',
    'Array.prototype',
    'Promise.prototype',
    'JSON.stringify',
    'console.log',
    'ambit.env',
    '(function* () {}).constructor.prototype',
    '(await import("ambit")).log',
    'Symbol.for("mark").constructor',
  ].map((place): [string, string] => [
    `${place} of a script`,
    `import * as ambit from 'ambit';
     export default async () => {
       const place = ${place};
       const found = 'mark' in place;
       place.mark = 1;
       return Number(found);
     };`,
  ]),
  ['a variable of a script', 'let found = 0; export default () => found++;'],
  [
    'built-ins that a script replaced',
    `export default () => {
       const found = Number(JSON.stringify({}) === 'mine' || Math.max(1, 2) === 'mine');
       JSON.stringify = Math.max = Array.prototype.push = () => 'mine';
       return found;
     };`,
  ],
];

describe.each(lastCaller)('as $name', (caller) => {
  const ground = stage(caller, async () => ({ env: { GRANTED_NAME: 'granted value' } }));

  const run = async (
    content: string | Uint8Array,
    attempt: Parameters<typeof execution>[2] = {},
  ): Promise<() => Promise<ExecutionLine>> => {
    const entry = typeof content === 'string' ? 'index.js' : 'skill.wasm';
    const skill = await wasmSkill(ground.folder, entry, content);
    return () => execution(ground.program, skill, attempt);
  };

  test.each(places)(
    'the next call in the same host process does not find a mark in %s',
    async (_, content) => {
      const call = await run(content);
      const first = await call();
      const before = ground.program.needed().hosts;
      const second = await call();
      expect([first.outcome, second.outcome, ground.program.needed().hosts - before]).toEqual([
        { status: 'succeeded', output: 0 },
        { status: 'succeeded', output: 0 },
        0,
      ]);
    },
  );

  test('the log of a call contains nothing of the previous call', async () => {
    const chatty = await run(`export default () => { console.log('mine'); return 1; };`);
    const silent = await run('export default () => 1;');
    expect([(await chatty()).log, (await silent()).log, (await chatty()).log]).toEqual([
      'mine\n',
      '',
      'mine\n',
    ]);
  });

  test('the context of a call contains nothing of the previous call', async () => {
    const asks = await askingSkill(ground.folder, 'command', ['context']);
    const callerOf = async (callerContext: Record<string, unknown>): Promise<unknown> => {
      const { outcome } = await execution(ground.program, asks, { callerContext });
      return (
        outcome.status === 'succeeded' && (outcome.output as { value: { caller: unknown } }).value.caller
      );
    };
    expect([await callerOf({ secret: 1 }), await callerOf({}), await callerOf({ other: 2 })]).toEqual([
      { secret: 1 },
      {},
      { other: 2 },
    ]);
  });

  test.each(kinds)('a %s cannot read the state of another skill', async (kind: Kind) => {
    const ask = async (name: string, ...question: [string, ...unknown[]]): Promise<unknown> => {
      const skill = await askingSkill(ground.folder, kind, question, {
        name,
        capabilities: { state: 'write' },
      });
      return answerOf((await execution(ground.program, skill)).outcome);
    };
    const key = `key of a ${kind}`;
    expect([
      await ask('neighbour', 'state_set', key, 'mine'),
      await ask('attacker', 'state_get', key),
      await ask('attacker', 'state_get', `../neighbour/${key}`),
      await ask('attacker', 'state_set', key, null),
      await ask('neighbour', 'state_get', key),
    ]).toEqual([{ value: null }, { value: null }, { value: null }, { value: null }, { value: 'mine' }]);
  });
});

// How a host process runs out of memory depends on the cgroups of the user.
describe.each(callers)('as $name, beside crashes', (caller) => {
  const ground = stage(caller);

  test('calls succeed while others crash their host processes', async () => {
    const MiB = 1024 * 1024;
    const skill = async (content: string | Uint8Array, limits: object): Promise<Outcome> => {
      const entry = typeof content === 'string' ? 'index.js' : 'skill.wasm';
      const folder = await wasmSkill(ground.folder, entry, content, { limits });
      return (await execution(ground.program, folder)).outcome;
    };
    const counting =
      'export default () => { let sum = 0; for (let n = 0; n < 3e6; n++) sum += n; return sum; };';
    // Many variables with long names, which use the host process's own memory.
    const crowd = plugin(`
      (local.set $here (call $alloc (i64.const 100000)))
      (loop $l
        (call $store_u8 (local.get $here) (i32.wrap_i64 (local.get $at)))
        (call $store_u8 (i64.add (local.get $here) (i64.const 1)) (i32.wrap_i64 (i64.shr_u (local.get $at) (i64.const 6))))
        (local.set $at (i64.add (local.get $at) (i64.const 1)))
        (call $var_set (local.get $here) (call $alloc (i64.const 0)))
        (br $l))
      (i32.const 0)`);
    const before = ground.program.needed().hosts;
    const [first, second, timedOut, crowded] = await Promise.all([
      skill(counting, {}),
      skill(counting, {}),
      skill('export default () => { for (;;); };', { timeoutMs: 300 }),
      skill(crowd, { memoryBytes: 64 * MiB }),
    ]);
    const sum = { status: 'succeeded', output: 4_499_998_500_000 };
    expect({ first, second, timedOut, crowded, after: await skill(counting, {}) }).toEqual({
      first: sum,
      second: sum,
      timedOut: { status: 'timed-out', timeoutMs: 300 },
      crowded: { status: 'out-of-memory', memoryBytes: 64 * MiB },
      after: sum,
    });
    expect(ground.program.needed().hosts).toBeGreaterThan(before);
  });
});
