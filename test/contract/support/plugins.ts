import { plugin } from '../../support/wasm/plugin.ts';
import type { Behaviour } from './behaviour.ts';
import type { EntrySkills } from './executor-worlds.ts';

/** Valid for a plug-in: Extism hosts treat it as an empty output. */
export const beyondPlugins: readonly Behaviour[] = ['answers nothing'];

/** Extism plug-ins. */
export const plugins: EntrySkills = { entry: 'skill.wasm', contentThat: moduleThat };

function moduleThat(behaviour: Behaviour): Uint8Array {
  if (typeof behaviour === 'object') {
    if ('answersBytes' in behaviour) return plugin(answersBytes(BigInt(behaviour.answersBytes)));
    if ('fails' in behaviour) return plugin('(call $error_set (call $text)) (i32.const 1)', behaviour.fails);
    if ('logsAndStays' in behaviour)
      return plugin(
        '(call $log_info (call $text)) (loop $next (br $next)) (i32.const 0)',
        behaviour.logsAndStays,
      );
    return plugin(`(call $log_info (call $text)) ${answersText('1')}`, behaviour.logs);
  }
  switch (behaviour) {
    case 'echoes':
      return plugin(`
        (local.set $here (call $alloc (call $input_length)))
        (block $done (loop $next
          (br_if $done (i64.ge_u (local.get $at) (call $input_length)))
          (call $store_u8 (i64.add (local.get $here) (local.get $at)) (call $input_load_u8 (local.get $at)))
          (local.set $at (i64.add (local.get $at) (i64.const 1)))
          (br $next)))
        (call $output_set (local.get $here) (call $input_length))
        (i32.const 0)`);
    case 'never ends':
      return plugin('(loop $next (br $next)) (i32.const 0)');
    case 'crashes':
      return plugin('(unreachable)');
    case 'leaves a mark':
      // In a variable named "mark", and in its memory.
      return plugin(
        `(if (result i32)
           (i32.or
             (i64.ne (call $var_get (call $text)) (i64.const 0))
             (i32.load8_u (i32.const 60000)))
           (then ${answersText('true')})
           (else
             (call $var_set (call $text) (call $text))
             (i32.store8 (i32.const 60000) (i32.const 1))
             ${answersText('false')}))`,
        'mark',
      );
    case 'answers nothing':
      return plugin('(i32.const 0)');
    case 'answers no JSON':
      return plugin(answersText('hello'));
    case 'answers no UTF-8':
      return plugin(answersText('\xff'));
    case 'cannot start':
      return new TextEncoder().encode('no module');
    default:
      return behaviour satisfies never;
  }
}

/** One `store_u8` per character; its code is the byte. */
function answersText(text: string): string {
  const stores = [...text].map(
    (character, at) =>
      `(call $store_u8 (i64.add (local.get $here) (i64.const ${at})) (i32.const ${character.charCodeAt(0)}))`,
  );
  return `(local.set $here (call $alloc (i64.const ${text.length}))) ${stores.join(' ')}
    (call $output_set (local.get $here) (i64.const ${text.length})) (i32.const 0)`;
}

function answersBytes(count: bigint): string {
  const quote = (at: bigint): string =>
    `(call $store_u8 (i64.add (local.get $here) (i64.const ${at})) (i32.const 34))`;
  return `
    (local.set $here (call $alloc (i64.const ${count})))
    (loop $next
      (call $store_u8 (i64.add (local.get $here) (local.get $at)) (i32.const 120))
      (br_if $next (i64.lt_u (local.tee $at (i64.add (local.get $at) (i64.const 1))) (i64.const ${count}))))
    ${quote(0n)} ${quote(count - 1n)}
    (call $output_set (local.get $here) (i64.const ${count}))
    (i32.const 0)`;
}
