import initWabt from 'wabt';

const wabt = await initWabt();

/** Compiles a module from the text format. */
export function moduleOf(text: string): Uint8Array {
  // The types of wabt lack some of these.
  const features = {
    memory64: true,
    multi_memory: true,
    exceptions: true,
    threads: true,
    tail_call: true,
    simd: true,
    relaxed_simd: true,
    extended_const: true,
  };
  const parsed = wabt.parseWat('test.wat', text, features);
  try {
    return parsed.toBinary({}).buffer;
  } finally {
    parsed.destroy();
  }
}

/**
 * A plug-in whose `run` executes `body`; `$here` and `$there` are address locals for it. `fields`
 * are further fields of the module; by default, a memory of one page.
 */
export function pluginOf(body: string, fields = '(memory (export "memory") 1)'): Uint8Array {
  const from = (name: string, type: string): string =>
    `(import "extism:host/env" "${name}" (func $${name} ${type}))`;
  return moduleOf(`(module
    ${from('alloc', '(param i64) (result i64)')}
    ${from('free', '(param i64)')}
    ${from('input_length', '(result i64)')}
    ${from('input_load_u8', '(param i64) (result i32)')}
    ${from('store_u8', '(param i64 i32)')}
    ${from('output_set', '(param i64 i64)')}
    ${from('error_set', '(param i64)')}
    ${from('log_info', '(param i64)')}
    ${from('var_get', '(param i64) (result i64)')}
    ${from('var_set', '(param i64 i64)')}
    ${from('config_get', '(param i64) (result i64)')}
    ${fields}
    (func $text (param $start i32) (param $length i32) (result i64) (local $block i64) (local $at i32)
      (local.set $block (call $alloc (i64.extend_i32_u (local.get $length))))
      (loop $next
        (call $store_u8
          (i64.add (local.get $block) (i64.extend_i32_u (local.get $at)))
          (i32.load8_u (i32.add (local.get $start) (local.get $at))))
        (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (local.get $length))))
      (local.get $block))
    (func (export "run") (result i32) (local $here i64) (local $there i64) ${body}))`);
}

/**
 * Fields for a plug-in with this text at address 0, and the expression for a block that contains
 * it.
 */
export function withText(text: string): { fields: string; block: string } {
  const length = new TextEncoder().encode(text).length;
  return {
    fields: `(memory (export "memory") 1) ${dataAt(0, text)}`,
    block: `(call $text (i32.const 0) (i32.const ${length}))`,
  };
}

/** A plug-in that sets this text as its output and returns 0. */
export function pluginThatOutputs(text: string): Uint8Array {
  const { fields, block } = withText(text);
  const length = new TextEncoder().encode(text).length;
  return pluginOf(`(call $output_set ${block} (i64.const ${length})) (i32.const 0)`, fields);
}

/** A plug-in that returns its input. */
export function echoPlugin(): Uint8Array {
  return pluginOf(`
    (local.set $here (call $alloc (call $input_length)))
    (loop $next
      (call $store_u8 (i64.add (local.get $here) (local.get $there)) (call $input_load_u8 (local.get $there)))
      (br_if $next (i64.lt_u (local.tee $there (i64.add (local.get $there) (i64.const 1))) (call $input_length))))
    (call $output_set (local.get $here) (call $input_length))
    (i32.const 0)`);
}

/**
 * A WASI command whose `_start` executes `body`; `fields` are further fields of the module, and
 * include its memory.
 */
export function commandOf(body: string, fields = '(memory (export "memory") 1)'): Uint8Array {
  const from = (namespace: string, name: string, type: string): string =>
    `(import "${namespace}" "${name}" (func $${name} ${type}))`;
  return moduleOf(`(module
    ${from('wasi_snapshot_preview1', 'fd_read', '(param i32 i32 i32 i32) (result i32)')}
    ${from('wasi_snapshot_preview1', 'fd_write', '(param i32 i32 i32 i32) (result i32)')}
    ${from('wasi_snapshot_preview1', 'random_get', '(param i32 i32) (result i32)')}
    ${from('wasi_snapshot_preview1', 'poll_oneoff', '(param i32 i32 i32 i32) (result i32)')}
    ${from('wasi_snapshot_preview1', 'proc_exit', '(param i32)')}
    ${from('ambit', 'invoke', '(param i32 i32 i32 i32) (result i32)')}
    ${from('ambit', 'answer', '(param i32)')}
    ${fields}
    ;; Writes to a descriptor; the 16 bytes from 1024 are for its vector and its count.
    (func $print (param $to i32) (param $start i32) (param $length i32)
      (i32.store (i32.const 1024) (local.get $start))
      (i32.store (i32.const 1028) (local.get $length))
      (drop (call $fd_write (local.get $to) (i32.const 1024) (i32.const 1) (i32.const 1032))))
    (func (export "_start") (local $at i32) ${body}))`);
}

/** A text as a data segment at an address. */
export function dataAt(address: number, content: string | Uint8Array): string {
  const bytes = [...(typeof content === 'string' ? new TextEncoder().encode(content) : content)];
  return `(data (i32.const ${address}) "${bytes.map((byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('')}")`;
}
