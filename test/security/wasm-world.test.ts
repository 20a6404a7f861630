// Threat model: T170, T171, T178, T179

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repository } from '../support/daemon-process.ts';
import { command } from '../support/wasm/command.ts';
import { plugin } from '../support/wasm/plugin.ts';
import { execution, stage } from './support/attacker.ts';
import { lastCaller } from './support/callers.ts';
import { webServers } from './support/egress/servers.ts';
import { wasmSkill } from './support/wasm/wasm-skill.ts';

const fixtures = join(repository, 'packages/runtime/src/wasm/testing/fixtures');

/**
 * A WASI function that a command calls with these arguments on each descriptor up to 32; prints how
 * many calls succeeded.
 */
const opened = (name: string, type: string, args: string): Uint8Array =>
  command(
    `(loop $next
       (local.set $count (i32.add (local.get $count) (i32.eqz (call $attempt (local.get $at) ${args}))))
       (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (i32.const 32))))
     (i32.store8 (i32.const 60000) (i32.add (i32.const 48) (local.get $count)))
     (call $print (i32.const 1) (i32.const 60000) (i32.const 1))`,
    '/etc/passwd',
    `(import "wasi_snapshot_preview1" "${name}" (func $attempt (param i32 ${type}) (result i32)))`,
  );

const i32s = (count: number): string => Array(count).fill('(i32.const 0)').join(' ');

/** WASI functions for networks and files, and how many calls succeed. */
const calls: [name: string, content: Uint8Array, succeeded: number][] = [
  ['sock_accept', opened('sock_accept', 'i32 i32', i32s(2)), 0],
  ['sock_recv', opened('sock_recv', 'i32 i32 i32 i32 i32', i32s(5)), 0],
  ['sock_send', opened('sock_send', 'i32 i32 i32 i32', i32s(4)), 0],
  ['sock_shutdown', opened('sock_shutdown', 'i32', i32s(1)), 0],
  // From runtimes that extend preview 1.
  ['sock_open', opened('sock_open', 'i32 i32 i32', i32s(3)), 0],
  ['sock_connect', opened('sock_connect', 'i32 i32', i32s(2)), 0],
  [
    'path_open',
    opened(
      'path_open',
      'i32 i32 i32 i32 i64 i64 i32 i32',
      '(i32.const 1) (i32.const 0) (i32.const 11) (i32.const 0) (i64.const -1) (i64.const -1) (i32.const 0) (i32.const 500)',
    ),
    0,
  ],
  // On the three folders of each call, which are not host folders.
  ['fd_prestat_get', opened('fd_prestat_get', 'i32', '(i32.const 500)'), 3],
  [
    'fd_readdir',
    opened('fd_readdir', 'i32 i32 i64 i32', '(i32.const 500) (i32.const 9) (i64.const 0) (i32.const 600)'),
    3,
  ],
  // Permitted: its three streams and those folders.
  ['fd_fdstat_get', opened('fd_fdstat_get', 'i32', '(i32.const 500)'), 6],
];

/** Expressions that a script's language does not support; each is evaluated. */
const expressions = [
  'typeof fetch',
  'typeof XMLHttpRequest',
  'typeof WebSocket',
  'typeof require',
  'typeof process',
  'typeof std',
  'typeof os',
  'typeof Worker',
  'typeof WebAssembly',
  'typeof globalThis.constructor.constructor("return this")().process',
  'typeof (await import("ambit")).log.constructor("return typeof fetch === typeof process && this")().fetch',
  ...['http://127.0.0.1:PORT/x.js', 'node:net', 'qjs:os', 'file:///etc/passwd', '/etc/passwd'].map(
    (name) => `await import(${JSON.stringify(name)}).then(() => "imported", () => "undefined")`,
  ),
];

describe.each(lastCaller)('as $name', (caller) => {
  const ground = stage(caller, async () => ({
    env: { AMBIT_SECRET: 'CANARY-environment', GRANTED_NAME: 'granted value' },
  }));
  const servers = webServers({ loopback: {} });
  const port = (): number => servers.loopback.port;
  const heard = (): number => servers.loopback.connections();

  test.each(calls)(
    'a command that calls %s on every descriptor reaches only its own folders and streams',
    async (_, content, succeeded) => {
      const skill = await wasmSkill(ground.folder, 'skill.wasm', content);
      expect((await execution(ground.program, skill)).outcome).toEqual({
        status: 'succeeded',
        output: succeeded,
      });
    },
  );

  test.each([
    ['once', '(drop (call $request (call $text) (i64.const 0))) (i32.const 0)'],
    [
      'and catches everything',
      '(try (do (drop (call $request (call $text) (i64.const 0)))) (catch_all)) (i32.const 0)',
    ],
  ])('a plug-in that requests HTTP without a grant is stopped: %s', async (_, body) => {
    const content = plugin(
      body,
      `{"url":"http://127.0.0.1:${port()}/","method":"GET"}`,
      '(import "extism:host/env" "http_request" (func $request (param i64 i64) (result i64)))',
    );
    const skill = await wasmSkill(ground.folder, 'skill.wasm', content);
    expect([(await execution(ground.program, skill)).outcome.status, heard()]).toEqual([
      'capability-violated',
      0,
    ]);
    const answers = plugin(
      '(call $output_set (call $text) (i64.const 1)) (i32.const 0)',
      '1',
      '(import "extism:host/env" "http_request" (func $request (param i64 i64) (result i64)))',
    );
    const permitted = await wasmSkill(ground.folder, 'skill.wasm', answers);
    expect((await execution(ground.program, permitted)).outcome).toEqual({ status: 'succeeded', output: 1 });
  });

  test('a script finds no way out of its language', async () => {
    const source = `export default async () => [${expressions.join(', ')}, typeof JSON]`;
    const skill = await wasmSkill(ground.folder, 'index.js', source.replaceAll('PORT', String(port())));
    expect([(await execution(ground.program, skill)).outcome, heard()]).toEqual([
      { status: 'succeeded', output: [...expressions.map(() => 'undefined'), 'object'] },
      0,
    ]);
  });

  test('the listener of these tests is reachable from the host', async () => {
    const answered = await fetch(`http://127.0.0.1:${port()}/`);
    expect([await answered.text(), heard()]).toEqual(['reached GET /', 1]);
  });

  test('a command finds no files outside its own folders', async () => {
    const content = await readFile(join(fixtures, 'intruder.wasm'));
    const skill = await wasmSkill(ground.folder, 'skill.wasm', content);
    const missing = 'No such file or directory';
    const notPermitted = 'Operation not permitted';
    const readOnly = 'Read-only file system';
    const outcomes = [];
    // Files of one call do not exist in the next.
    for (let call = 0; call < 2; call++) outcomes.push((await execution(ground.program, skill)).outcome);
    const output = {
      '/etc/passwd': missing,
      'etc/passwd': missing,
      '../etc/passwd': notPermitted,
      '/tmp/../etc/passwd': notPermitted,
      '/skill/../../etc/passwd': notPermitted,
      '/proc/self/environ': missing,
      '/proc/self/fd/0': missing,
      '/dev/null': missing,
      '/ambit/host/main.mjs': missing,
      '/skill/.git/config': missing,
      'a link to the root': notPermitted,
      'a link upwards': 'opened',
      '/tmp/up': notPermitted,
      'a folder in the skill': readOnly,
      'a file in the skill': readOnly,
      "the skill's own file, to write": readOnly,
      "the skill's own file, to empty": readOnly,
      "the skill's own file, away": readOnly,
      "the skill's own file, to a name outside": 'Cross-device link',
      '/skill/SKILL.md': 'opened',
      'a file of its own': 'opened',
    };
    expect(outcomes).toEqual([
      { status: 'succeeded', output },
      { status: 'succeeded', output },
    ]);
  });

  test('a command sees only its own environment and arguments', async () => {
    const all = command(
      `(if (call $sizes (i32.const 0) (i32.const 4)) (then (unreachable)))
       (if (call $get (i32.const 1000) (i32.const 2000)) (then (unreachable)))
       (call $print (i32.const 2) (i32.const 2000) (i32.load (i32.const 4)))
       (if (call $arg_sizes (i32.const 0) (i32.const 4)) (then (unreachable)))
       (if (call $arg_get (i32.const 1000) (i32.const 2000)) (then (unreachable)))
       (call $print (i32.const 2) (i32.const 2000) (i32.load (i32.const 4)))`,
      '',
      `(import "wasi_snapshot_preview1" "environ_sizes_get" (func $sizes (param i32 i32) (result i32)))
       (import "wasi_snapshot_preview1" "environ_get" (func $get (param i32 i32) (result i32)))
       (import "wasi_snapshot_preview1" "args_sizes_get" (func $arg_sizes (param i32 i32) (result i32)))
       (import "wasi_snapshot_preview1" "args_get" (func $arg_get (param i32 i32) (result i32)))`,
    );
    const without = await wasmSkill(ground.folder, 'skill.wasm', all);
    const granted = await wasmSkill(ground.folder, 'skill.wasm', all, {
      capabilities: { env: ['GRANTED_NAME'] },
    });
    const grant = { env: ['GRANTED_NAME'] };
    expect([
      (await execution(ground.program, without)).log,
      (await execution(ground.program, granted, { grant })).log,
    ]).toEqual(['attacker\0', 'GRANTED_NAME=granted value\0attacker\0']);
  });
});
