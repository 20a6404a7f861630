import { command } from '../../support/wasm/command.ts';
import type { Behaviour } from './behaviour.ts';
import type { EntrySkills } from './executor-worlds.ts';

/** WASI commands. */
export const commands: EntrySkills = { entry: 'skill.wasm', contentThat: moduleThat };

const [stdin, stdout, stderr] = [0, 1, 2];
const pieceBytes = 32_768;

function moduleThat(behaviour: Behaviour): Uint8Array {
  if (typeof behaviour === 'object') {
    if ('answersBytes' in behaviour) return answersBytes(behaviour.answersBytes);
    if ('fails' in behaviour)
      return prints(stderr, `${behaviour.fails}\n`, '(call $proc_exit (i32.const 1))');
    if ('logsAndStays' in behaviour)
      return prints(stderr, `${behaviour.logsAndStays}\n`, '(loop $next (br $next))');
    return prints(
      stderr,
      behaviour.logs,
      '(i32.store8 (i32.const 0) (i32.const 49)) (call $print (i32.const 1) (i32.const 0) (i32.const 1))',
    );
  }
  switch (behaviour) {
    case 'echoes':
      return command(`
        (loop $next
          (if (local.tee $count (call $read (i32.const ${stdin}) (i32.const 0) (i32.const ${pieceBytes})))
            (then (call $print (i32.const ${stdout}) (i32.const 0) (local.get $count)) (br $next))))`);
    case 'never ends':
      return command('(loop $next (br $next))');
    case 'crashes':
      return command('(unreachable)');
    case 'leaves a mark':
      // In its memory, the only place it can write to.
      return command(
        `(local.set $at (i32.mul (i32.const 5) (i32.load8_u (i32.const 60000))))
         (i32.store8 (i32.const 60000) (i32.const 1))
         (call $print (i32.const ${stdout}) (local.get $at) (i32.sub (i32.const 5) (i32.ne (local.get $at) (i32.const 0))))`,
        'falsetrue',
      );
    case 'answers nothing':
      return command('');
    case 'answers no JSON':
      return prints(stdout, 'hello');
    case 'answers no UTF-8':
      return prints(stdout, Uint8Array.of(0xff));
    case 'cannot start':
      return new TextEncoder().encode('no module');
    default:
      return behaviour satisfies never;
  }
}

function prints(to: number, text: string | Uint8Array, then = ''): Uint8Array {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  return command(`(call $print (i32.const ${to}) (i32.const 0) (i32.const ${bytes.length})) ${then}`, bytes);
}

/** A quote, blocks of `x`, the remaining ones, and a quote. */
function answersBytes(count: number): Uint8Array {
  const print = (from: number, length: string): string =>
    `(call $print (i32.const ${stdout}) (i32.const ${from}) ${length})`;
  return command(
    `(memory.fill (i32.const 1) (i32.const 120) (i32.const ${pieceBytes}))
     ${print(0, '(i32.const 1)')}
     (local.set $at (i32.const ${count - 2}))
     (loop $next
       (local.set $count (select (local.get $at) (i32.const ${pieceBytes}) (i32.lt_u (local.get $at) (i32.const ${pieceBytes}))))
       ${print(1, '(local.get $count)')}
       (br_if $next (local.tee $at (i32.sub (local.get $at) (local.get $count)))))
     ${print(0, '(i32.const 1)')}`,
    '"',
  );
}
