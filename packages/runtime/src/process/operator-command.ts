import type { Environment } from '../environment/environment.ts';
import { startProgram } from './sandbox/start-program.ts';

const timeoutMs = 30_000;
const bytesMost = 64 * 1024;

/**
 * What a command of the operator's own prints, with `stdin` to read, run as the daemon with its environment. Rejects when it fails, takes longer
 * than 30 seconds or prints more than 64 KiB; what it printed never stands in the error.
 */
export async function operatorCommand(
  [file = '', ...args]: readonly string[],
  environment: Environment,
  stdin = '',
): Promise<string> {
  const env = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const program = startProgram(file, args, { env });
  const deadline = setTimeout(() => program.kill(), timeoutMs);
  let printed = '';
  program.stdout.on('data', (chunk: Uint8Array) => {
    printed += new TextDecoder().decode(chunk);
    if (printed.length > bytesMost) program.kill();
  });
  for (const stream of [program.stderr, program.control]) stream.resume();
  program.stdin.end(stdin);
  program.gate.end();
  const end = await program.ended;
  clearTimeout(deadline);
  if ('notStarted' in end) throw new Error(`${file} cannot be started`);
  if (end.exitCode !== 0) throw new Error(`${file} ended with ${end.exitCode}`);
  return printed;
}
