import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

/** What every contender is given and has to give back. */
export const line = '{"n":1}';

/** Starts a program with nothing around it, and fails unless it answers with what it was given. */
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
  // A program that ended early is found out by its output.
  child.stdin?.on('error', () => undefined).end(line);
  await once(child, 'close');
  if (output !== line) throw new Error(`${file} gave ${JSON.stringify(output)}`);
}
