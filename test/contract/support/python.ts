import type { Behaviour } from './behaviour.ts';
import type { EntrySkills } from './executor-worlds.ts';

/** Python scripts, as programs and in WebAssembly. */
export const python: EntrySkills = { entry: 'scripts/run.py', contentThat: scriptThat };

function scriptThat(behaviour: Behaviour): string | undefined {
  if (behaviour === 'cannot start') return undefined;
  return `import os, sys, time\nout, log = sys.stdout.buffer.write, sys.stderr.write\n${bodyThat(behaviour)}\n`;
}

function bodyThat(behaviour: Exclude<Behaviour, 'cannot start'>): string {
  if (typeof behaviour === 'object') {
    if ('answersBytes' in behaviour) return `out(b'"' + b'x' * ${behaviour.answersBytes - 2} + b'"')`;
    if ('fails' in behaviour) return `log(${JSON.stringify(behaviour.fails)})\nsys.exit(1)`;
    if ('logsAndStays' in behaviour)
      return `log(${JSON.stringify(`${behaviour.logsAndStays}\n`)})\nsys.stderr.flush()\ntime.sleep(1000000)`;
    return `log(${JSON.stringify(behaviour.logs)})\nout(b'1')`;
  }
  switch (behaviour) {
    case 'echoes':
      return 'out(sys.stdin.buffer.read())';
    case 'never ends':
      return 'time.sleep(1000000)';
    case 'crashes':
      // Bytecode that no compiler writes: it pops more than there is.
      return 'exec((lambda: 0).__code__.replace(co_code=bytes([1, 0] * 1000), co_stacksize=0))';
    case 'leaves a mark':
      return 'out(b"true" if os.path.exists("/tmp/mark") else b"false")\nopen("/tmp/mark", "w").close()';
    case 'answers nothing':
      return 'pass';
    case 'answers no JSON':
      return 'out(b"hello")';
    case 'answers no UTF-8':
      return 'out(bytes([0xff]))';
    default:
      return behaviour satisfies never;
  }
}
