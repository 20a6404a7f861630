import type { Terminal } from '../output/terminal.ts';

/** Whether the user answers `y` or `yes`. Any other answer is no, and so is the end of the input. */
export async function confirmed(
  question: string,
  { stdin, stderr }: Pick<Terminal, 'stdin' | 'stderr'>,
): Promise<boolean> {
  stderr.write(`${question} (y)es, (n)o: `);
  const lines = linesOf(stdin);
  const { value } = await lines.next();
  stdin.destroy();
  return ['y', 'yes'].includes((value ?? '').trim().toLowerCase());
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
