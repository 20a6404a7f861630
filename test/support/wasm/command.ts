import { dataAt, moduleOf } from '../../../packages/runtime/src/wasm/testing/module-of.ts';

/**
 * A WASI command whose `_start` runs `body`, in WebAssembly's text format. `body` may use the
 * locals `$at` and `$count`, `text` at address 0, and `$print` and `$read`, which take a
 * descriptor, an address and a length. The last 16 bytes of the page are reserved for them.
 * `imports` adds functions.
 */
export function command(body: string, text: string | Uint8Array = '', imports = ''): Uint8Array {
  return moduleOf(`(module
    ${wasi} ${imports}
    (memory (export "memory") 1)
    ${dataAt(0, text)}
    (func $vector (param $start i32) (param $length i32)
      (i32.store (i32.const 65520) (local.get $start))
      (i32.store (i32.const 65524) (local.get $length)))
    (func $print (param $to i32) (param $start i32) (param $length i32)
      (call $vector (local.get $start) (local.get $length))
      (if (call $fd_write (local.get $to) (i32.const 65520) (i32.const 1) (i32.const 65528)) (then (unreachable))))
    (func $read (param $from i32) (param $start i32) (param $length i32) (result i32)
      (call $vector (local.get $start) (local.get $length))
      (if (call $fd_read (local.get $from) (i32.const 65520) (i32.const 1) (i32.const 65528)) (then (unreachable)))
      (i32.load (i32.const 65528)))
    (func (export "_start") (local $at i32) (local $count i32) ${body}))`);
}

const wasi = Object.entries({
  fd_read: '(param i32 i32 i32 i32) (result i32)',
  fd_write: '(param i32 i32 i32 i32) (result i32)',
  proc_exit: '(param i32)',
})
  .map(([name, type]) => `(import "wasi_snapshot_preview1" "${name}" (func $${name} ${type}))`)
  .join('\n');
