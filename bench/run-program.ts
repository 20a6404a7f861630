import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

/** The input that every contender must return. */
export const line = '{"n":1}';

/** Runs a program without a sandbox. Fails unless it returns its input. */
export async function runProgram(
  file: string,
  args: readonly string[],
  options: SpawnOptions = {},
): Promise<void> {
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'], ...options });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  // The output reveals a program that ended early.
  child.stdin?.on('error', () => undefined).end(line);
  await once(child, 'close');
  if (output !== line) throw new Error(`${file} gave ${JSON.stringify(output)}`);
}
