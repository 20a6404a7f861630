import { ambitCommand } from '../ambit-command.ts';
import type { Command, CommandContext } from '../command/define-command.ts';
import { printer } from '../output/printer.ts';
import { surroundingsOf, terminalOf } from './run-ambit.ts';

/** Parses a line with these commands, runs the command that it names, and returns its context. Rejects with the parser's errors. */
export async function parseLine(
  commands: readonly Command[],
  words: readonly string[],
): Promise<CommandContext> {
  const { terminal } = terminalOf({});
  const context: CommandContext = {
    ...surroundingsOf(terminal),
    client: () => Promise.reject(new Error('this test has no daemon')),
    commands,
    readerGone: new AbortController().signal,
    print: printer(terminal, {}),
    flags: {},
    exitCode: 0,
  };
  await ambitCommand(context).parseAsync(words, { from: 'user' });
  return context;
}
