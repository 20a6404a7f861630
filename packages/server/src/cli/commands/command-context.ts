import type { Command } from 'commander';
import type { ConfigFlags } from '../../config/config.ts';
import type { Actions } from '../actions/actions.ts';
import type { ExitCode } from '../exit-codes.ts';
import { type Printer, printer } from '../printer.ts';
import type { Terminal } from '../terminal.ts';

/** What every command works with. */
export interface CommandContext {
  readonly actions: Actions;
  readonly terminal: Terminal;
  /** Aborted when whoever reads stdout is gone, and nothing that is printed arrives. */
  readonly readerGone: AbortSignal;
  /** How the command ended; the last thing that it sets. */
  exitCode: ExitCode;
}

/** The options that every command understands, wherever on the line they stand. */
export interface GlobalFlags extends ConfigFlags {
  json?: boolean;
  color?: boolean;
}

/** The flags of a command with the global ones, and a printer that heeds them. */
export function flagsOf<Flags extends object>(
  { terminal }: CommandContext,
  command: Command,
): { flags: Flags & GlobalFlags; print: Printer } {
  const flags = command.optsWithGlobals<Flags & GlobalFlags>();
  return { flags, print: printer(terminal, flags) };
}

/** For an option that may be given again: every value, in order. */
export function collect(value: string, values: string[] = []): string[] {
  return [...values, value];
}

/** The last part of a command's help: lines to copy, each with what it does. */
export function examples(...lines: readonly [line: string, does: string][]): string {
  const width = Math.max(...lines.map(([line]) => line.length));
  return `\nExamples:\n${lines.map(([line, does]) => `  ${line.padEnd(width)}  ${does}`).join('\n')}`;
}
