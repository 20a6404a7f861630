import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { ambitCommand } from '../ambit-command.ts';
import type { Command, CommandContext } from '../command/define-command.ts';
import { printer } from '../output/printer.ts';
import type { Terminal } from '../output/terminal.ts';
import { idleActions } from './run-ambit.ts';

/** Parses a line with these commands, runs the command that it names, and returns its context. Rejects with the parser's errors. */
export async function parseLine(
  commands: readonly Command[],
  words: readonly string[],
): Promise<CommandContext> {
  const stdio = { write: () => true, on: () => undefined };
  const terminal: Terminal = Object.assign(new EventEmitter(), {
    stdin: Readable.from([]),
    stdout: stdio,
    stderr: stdio,
    env: {},
    cwd: () => '/work',
  });
  const context: CommandContext = {
    actions: idleActions,
    terminal,
    commands,
    readerGone: new AbortController().signal,
    print: printer(terminal, {}),
    flags: {},
    exitCode: 0,
  };
  await ambitCommand(context).parseAsync(words, { from: 'user' });
  return context;
}
