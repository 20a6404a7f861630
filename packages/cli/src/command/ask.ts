import type { Terminal } from '../output/terminal.ts';

/** Whether the user answers `y` or `yes`. Any other answer is no, and so is the end of the input. */
export async function isConfirmed(
  question: string,
  { stdin, stderr }: Pick<Terminal, 'stdin' | 'stderr'>,
): Promise<boolean> {
  const answer = await answerTo(`${question} (y)es, (n)o: `, { stdin, stderr });
  return ['y', 'yes'].includes(answer.trim().toLowerCase());
}

/** Prints a question to stderr, and returns the line that the user answers; empty at the end of the input. */
export async function answerTo(
  question: string,
  { stdin, stderr }: Pick<Terminal, 'stdin' | 'stderr'>,
): Promise<string> {
  stderr.write(question);
  const { value } = await linesOf(stdin).next();
  stdin.destroy();
  return value ?? '';
}

/** The lines of stdin. The last one may lack its line feed. */
export async function* linesOf(stdin: Terminal['stdin']): AsyncGenerator<string, undefined> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of stdin) {
    const lines = (
      rest + (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))
    ).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
  return undefined;
}
