/** The `ambit` program: starts the threads of a daemon, then loads the rest, which takes as long. */
import { writeSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { startAhead, storeProgram, writerProgram } from '@ambit/server/threads';
import manifest from '../package.json' with { type: 'json' };

// Each thread strips types with WebAssembly, and V8 can abort when it frees the code of an ended thread (nodejs/node#64500).
// The code is small and always the same, so it need not be freed.
setFlagsFromString('--no-wasm-code-gc');

const [word, ...others] = process.argv.slice(2);
if (others.length > 0 || (word !== '--version' && word !== '-V') || !printed(`${manifest.version}\n`)) {
  if (word === 'serve') for (const program of [writerProgram, storeProgram]) startAhead(program);
  const { runProgram } = await import('./program.ts');
  process.exitCode = await runProgram();
}

/** Writes a text that needs nothing else of the program. False: it could not be written, which the program can report. */
function printed(text: string): boolean {
  try {
    return writeSync(1, text) > 0;
  } catch {
    return false;
  }
}
