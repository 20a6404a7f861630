import type { ExitCode } from '@ambit/api';
import type { Command } from 'commander';
import type { ConfigFlags } from '../../config/config.ts';
import type { RepeatedFlags } from '../output/next-command.ts';
import { type Printer, printer } from '../output/printer.ts';
import type { Terminal } from '../output/terminal.ts';
import type { Actions } from '../ports/actions.ts';

/** The context that every command gets. */
export interface CommandContext {
  readonly actions: Actions;
  readonly terminal: Terminal;
  /** Aborted when stdout is closed by its reader or cannot be written. */
  readonly readerGone: AbortSignal;
  /** Set by the command. */
  exitCode: ExitCode;
  /** The skill that the command calls, for hints. */
  skillId?: string;
  /** The folder of that skill, if it is invalid. */
  skillFolder?: string;
  /** The flags of the command, for hints. */
  flags?: RepeatedFlags;
  /** The configuration file that a flag or a variable names, for hints. */
  configFile?: string | undefined;
}

/** The options of every command, accepted before and after it. */
export interface GlobalFlags extends ConfigFlags {
  json?: boolean;
  color?: boolean;
}

/** The flags of a command, including global ones, and a printer that follows them. */
export function flagsOf<Flags extends object>(
  { terminal }: CommandContext,
  command: Command,
): { flags: Flags & GlobalFlags; print: Printer } {
  const flags = command.optsWithGlobals<Flags & GlobalFlags>();
  return { flags, print: printer(terminal, flags) };
}

/** Collects the values of a repeatable option, in order. */
export function collect(value: string, values: string[] = []): string[] {
  return [...values, value];
}

/** The examples at the end of a command's help. */
export function examples(...lines: readonly [line: string, does: string][]): string {
  const width = Math.max(...lines.map(([line]) => line.length));
  return `\nExamples:\n${lines.map(([line, does]) => `  ${line.padEnd(width)}  ${does}`).join('\n')}`;
}
