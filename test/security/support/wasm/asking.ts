import type { Outcome } from '../../../../packages/core/src/execute.ts';
import { command } from '../../../support/wasm/command.ts';
import { plugin } from '../../../support/wasm/plugin.ts';

/** The three kinds of entry of a WASM skill. */
export const kinds = ['plug-in', 'command', 'script'] as const;
export type Kind = (typeof kinds)[number];

/** A skill's request to its host. */
export type Question = [name: string, ...args: unknown[]];

/**
 * The handling of an exception: pass it on, catch it and answer, or catch it and never end.
 */
export type Manner = 'plainly' | 'and continues' | 'and never ends';

/** The answer of a skill that was not stopped. */
export const continued = 'continued';

export const entries: Readonly<Record<Kind, string>> = {
  'plug-in': 'skill.wasm',
  command: 'skill.wasm',
  script: 'index.js',
};

/**
 * The entry of a skill that makes one request to its host and returns the answer: `{"value": …}`.
 */
export function asking(kind: Kind, question: Question, manner: Manner = 'plainly'): string | Uint8Array {
  switch (kind) {
    case 'plug-in':
      return askingPlugin(question, manner);
    case 'command':
      return askingCommand(question, manner);
    case 'script':
      return askingScript(question, manner);
    default:
      return kind satisfies never;
  }
}

/** The answer, `{value}` or `{error}`; otherwise how the call ended. */
export function answerOf(outcome: Outcome): unknown {
  if (outcome.status === 'succeeded') return outcome.output;
  if (outcome.status !== 'failed') return outcome;
  // A command without a JSON library returns a message like this.
  return 'exitCode' in outcome.failure ? { error: outcome.stderr.trimEnd() } : outcome;
}

const [answered, looping] = ['{"value":', `"${continued}"`];

function askingPlugin([name, ...args]: Question, manner: Manner): Uint8Array {
  const texts = args.map((arg, index) =>
    typeof arg === 'object' || (name === 'state_set' && index === 1) ? JSON.stringify(arg) : String(arg),
  );
  const all = texts.join('') + looping;
  const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
  let at = 0;
  const blocks = texts.map((text) => {
    const block = `(call $part (i64.const ${at}) (i64.const ${bytesOf(text)}))`;
    at += bytesOf(text);
    return block;
  });
  const type = `${texts.length === 0 ? '' : `(param ${texts.map(() => 'i64').join(' ')})`} (result i64)`;
  const asked = `(local.set $here (call $ask ${blocks.join(' ')}))`;
  const answerLooping = `
    (local.set $here (call $part (i64.const ${at}) (i64.const ${bytesOf(looping)})))`;
  return plugin(
    `${caught(asked, manner, answerLooping)}
     (call $output_set (local.get $here) (call $length (local.get $here)))
     (i32.const 0)`,
    all,
    `(import "extism:host/user" "${name}" (func $ask ${type}))
     (func $part (param $from i64) (param $length i64) (result i64) (local $block i64) (local $at i64)
       (local.set $block (call $alloc (local.get $length)))
       (if (i64.eqz (local.get $length)) (then (return (local.get $block))))
       (loop $next
         (call $store_u8
           (i64.add (local.get $block) (local.get $at))
           (i32.load8_u (i32.wrap_i64 (i64.add (local.get $from) (local.get $at)))))
         (br_if $next (i64.lt_u (local.tee $at (i64.add (local.get $at) (i64.const 1))) (local.get $length))))
       (local.get $block))`,
  );
}

function askingCommand([name, ...args]: Question, manner: Manner): Uint8Array {
  const parts = [name, JSON.stringify(args), `${answered}}`, looping].map((text) =>
    new TextEncoder().encode(text),
  );
  const starts = parts.map((_, index) => parts.slice(0, index).reduce((sum, { length }) => sum + length, 0));
  const part = (index: number, length = parts[index]?.length): string =>
    `(i32.const ${starts[index]}) (i32.const ${length})`;
  const end = `(i32.const ${(starts[2] ?? 0) + answered.length}) (i32.const 1)`;
  const answerAt = 1_100_000;
  return command(
    `(drop (memory.grow (i32.const 100)))
     ${caught(
       `(local.set $count (call $invoke ${part(0)} ${part(1)}))`,
       manner,
       `(call $print (i32.const 1) ${part(3)}) (return)`,
     )}
     (call $answer (i32.const ${answerAt}))
     (if (i32.lt_s (local.get $count) (i32.const 0))
       (then
         (call $print (i32.const 2) (i32.const ${answerAt}) (i32.sub (i32.const -1) (local.get $count)))
         (call $proc_exit (i32.const 1))))
     (call $print (i32.const 1) ${part(2, answered.length)})
     (call $print (i32.const 1) (i32.const ${answerAt}) (local.get $count))
     (call $print (i32.const 1) ${end})`,
    Buffer.concat(parts),
    `(import "ambit" "invoke" (func $invoke (param i32 i32 i32 i32) (result i32)))
     (import "ambit" "answer" (func $answer (param i32)))`,
  );
}

function caught(asked: string, manner: Manner, goOn: string): string {
  if (manner === 'plainly') return asked;
  const then = manner === 'and continues' ? goOn : '(loop $ever (br $ever))';
  return `(try (do ${asked}) (catch_all ${then}))`;
}

const exported: Readonly<Record<string, string>> = {
  context: 'context',
  state_get: 'stateGet',
  state_set: 'stateSet',
  recall_memory: 'recallMemory',
  read_file: 'readFile',
  write_file: 'writeFile',
  env: 'env',
};

function askingScript([name, ...args]: Question, manner: Manner): string {
  const asked =
    name === 'http_request'
      ? `ambit.fetch(...((request) => [request.url, request])(${JSON.stringify(args[0])}))`
      : `ambit.${exported[name]}(...${JSON.stringify(args)})`;
  switch (manner) {
    case 'plainly':
      return `import * as ambit from 'ambit';
        export default async () => {
          try { return { value: await ${asked} }; } catch (error) { return { error: error.message }; }
        };`;
    case 'and continues':
      return `import * as ambit from 'ambit';
        export default async () => {
          try { ${asked}; } catch {} finally { await null; return ${looping}; }
        };`;
    case 'and never ends':
      return `import * as ambit from 'ambit';
        export default () => {
          for (;;) try { ${asked}; } catch {} finally { continue; }
        };`;
    default:
      return manner satisfies never;
  }
}
