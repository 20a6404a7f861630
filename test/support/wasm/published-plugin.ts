import { dataAt, moduleOf } from '../../../packages/runtime/src/wasm/testing/module-of.ts';

/**
 * An Extism plug-in as they are published: several functions, none of them called `run`, that read plain text.
 *
 * | function | what |
 * |---|---|
 * | `count_vowels` | answers `{"count":3,"vowels":"aeiouAEIOU"}` |
 * | `greet` | answers `Hello, NAME!`, which is text and no JSON |
 * | `remember` | returns no number, and sets no output |
 * | `silent` | returns 0, and sets no output |
 * | `garble` | answers a byte that is no UTF-8 |
 * | `refuse` | fails with its input as the error |
 */
export function publishedPlugin(): Uint8Array {
  return moduleOf(`(module
    ${imports}
    (memory (export "memory") 1)
    ${dataAt(0, '{"count":')}
    ${dataAt(16, ',"vowels":"aeiouAEIOU"}')}
    ${dataAt(48, 'Hello, !')}
    (global $end (mut i32) (i32.const 1024))
    (func $byte (param $byte i32)
      (i32.store8 (global.get $end) (local.get $byte))
      (global.set $end (i32.add (global.get $end) (i32.const 1))))
    (func $put (param $from i32) (param $length i32)
      (memory.copy (global.get $end) (local.get $from) (local.get $length))
      (global.set $end (i32.add (global.get $end) (local.get $length))))
    (func $number (param $n i32)
      (if (i32.ge_u (local.get $n) (i32.const 10))
        (then (call $number (i32.div_u (local.get $n) (i32.const 10)))))
      (call $byte (i32.add (i32.const 48) (i32.rem_u (local.get $n) (i32.const 10)))))
    (func $input (local $at i64)
      (block $done (loop $next
        (br_if $done (i64.ge_u (local.get $at) (call $input_length)))
        (call $byte (call $input_load_u8 (local.get $at)))
        (local.set $at (i64.add (local.get $at) (i64.const 1)))
        (br $next))))
    (func $block (result i64) (local $block i64) (local $at i32)
      (local.set $block (call $alloc (i64.extend_i32_u (i32.sub (global.get $end) (i32.const 1024)))))
      (block $done (loop $next
        (br_if $done (i32.ge_u (i32.add (i32.const 1024) (local.get $at)) (global.get $end)))
        (call $store_u8
          (i64.add (local.get $block) (i64.extend_i32_u (local.get $at)))
          (i32.load8_u (i32.add (i32.const 1024) (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
      (local.get $block))
    (func $answer (result i32)
      (call $output_set (call $block) (i64.extend_i32_u (i32.sub (global.get $end) (i32.const 1024))))
      (i32.const 0))
    (func $is_vowel (param $letter i32) (result i32) (local $at i32)
      (loop $next
        (if (i32.eq (local.get $letter) (i32.load8_u (i32.add (i32.const 27) (local.get $at))))
          (then (return (i32.const 1))))
        (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (i32.const 10))))
      (i32.const 0))
    (func (export "count_vowels") (result i32) (local $at i64) (local $count i32)
      (block $done (loop $next
        (br_if $done (i64.ge_u (local.get $at) (call $input_length)))
        (local.set $count
          (i32.add (local.get $count) (call $is_vowel (call $input_load_u8 (local.get $at)))))
        (local.set $at (i64.add (local.get $at) (i64.const 1)))
        (br $next)))
      (call $put (i32.const 0) (i32.const 9))
      (call $number (local.get $count))
      (call $put (i32.const 16) (i32.const 23))
      (call $answer))
    (func (export "greet") (result i32)
      (call $put (i32.const 48) (i32.const 7))
      (call $input)
      (call $put (i32.const 55) (i32.const 1))
      (call $answer))
    (func (export "remember") (call $input))
    (func (export "silent") (result i32) (i32.const 0))
    (func (export "garble") (result i32) (call $byte (i32.const 255)) (call $answer))
    (func (export "refuse") (result i32) (call $input) (call $error_set (call $block)) (i32.const 1)))`);
}

const imports = Object.entries({
  alloc: '(param i64) (result i64)',
  input_length: '(result i64)',
  input_load_u8: '(param i64) (result i32)',
  store_u8: '(param i64 i32)',
  output_set: '(param i64 i64)',
  error_set: '(param i64)',
})
  .map(([name, type]) => `(import "extism:host/env" "${name}" (func $${name} ${type}))`)
  .join('\n');
