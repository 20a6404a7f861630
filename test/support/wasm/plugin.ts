import { dataAt, moduleOf } from '../../../packages/runtime/src/wasm/testing/module-of.ts';

/**
 * An Extism plug-in whose `run` function runs `body`, in WebAssembly's text format. `body` may use
 * the locals `$here` and `$at`, and `$text`, which creates a block with `text`. `imports` adds
 * functions.
 */
export function plugin(body: string, text = '', imports = ''): Uint8Array {
  const length = new TextEncoder().encode(text).length;
  return moduleOf(`(module
    ${extism} ${imports}
    (memory (export "memory") 1)
    ${dataAt(0, text)}
    (func $text (result i64) (local $block i64) (local $at i32)
      (local.set $block (call $alloc (i64.const ${length})))
      (loop $next
        (call $store_u8
          (i64.add (local.get $block) (i64.extend_i32_u (local.get $at)))
          (i32.load8_u (local.get $at)))
        (br_if $next
          (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (i32.const ${length}))))
      (local.get $block))
    (func (export "run") (result i32) (local $here i64) (local $at i64) ${body}))`);
}

const extism = Object.entries({
  alloc: '(param i64) (result i64)',
  length: '(param i64) (result i64)',
  load_u8: '(param i64) (result i32)',
  input_length: '(result i64)',
  input_load_u8: '(param i64) (result i32)',
  store_u8: '(param i64 i32)',
  output_set: '(param i64 i64)',
  error_set: '(param i64)',
  log_info: '(param i64)',
  var_get: '(param i64) (result i64)',
  var_set: '(param i64 i64)',
})
  .map(([name, type]) => `(import "extism:host/env" "${name}" (func $${name} ${type}))`)
  .join('\n');
