import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

/** The input that every contender must return. */
export const line = '{"n":1}';

/** Runs a program with a text as its stdin. Resolves to its stdout; rejects unless it exits with 0. */
export async function runText(
  file: string,
  args: readonly string[],
  stdin: string,
  options: SpawnOptions = {},
): Promise<string> {
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'], ...options });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stdin?.on('error', () => undefined).end(stdin);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${file} exited with ${code}`);
  return output;
}

/** Runs a program without a sandbox. Fails unless it returns its input. */
export async function runProgram(
  file: string,
  args: readonly string[],
  options: SpawnOptions = {},
): Promise<void> {
  const output = await runText(file, args, line, options);
  if (output !== line) throw new Error(`${file} gave ${JSON.stringify(output)}`);
}
