import { styleText } from 'node:util';
import type { Terminal } from './terminal.ts';
import { printable } from './text/printable.ts';

/** How one command prints: what it answers with to stdout, everything else to stderr. */
export interface Printer {
  /** Whether stdout belongs to one JSON document. */
  readonly json: boolean;
  /** Characters in a line. */
  readonly width: number;
  /** The answer as JSON: indented on a terminal, on one line elsewhere. */
  document(value: unknown): void;
  /** One document of many, each on a line. */
  jsonLine(value: unknown): void;
  lines(...lines: readonly string[]): void;
  /** What a skill wrote: untouched where a program reads it, made harmless on a terminal. */
  skillOutput(text: string): void;
  skillLog(text: string): void;
  /** The same for a part of it, which may end within a line. */
  skillLogPart(text: string): void;
  note(...lines: readonly string[]): void;
  style(style: 'bold' | 'dim' | 'green' | 'yellow' | 'red', text: string): string;
}

/** Prints to a terminal: in colour only where it has colours, and is asked for them. */
export function printer(
  terminal: Terminal,
  { json = false, color = true }: { json?: boolean; color?: boolean },
): Printer {
  const { stdout, stderr } = terminal;
  const colours = color && hasColours(terminal);
  const block = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
  return {
    json,
    width: stdout.columns ?? 110,
    document: (value) => {
      const text = JSON.stringify(value, null, stdout.isTTY ? 2 : 0);
      stdout.write(`${stdout.isTTY ? printable(text) : text}\n`);
    },
    jsonLine: (value) => {
      const text = JSON.stringify(value);
      stdout.write(`${stdout.isTTY ? printable(text) : text}\n`);
    },
    lines: (...lines) => stdout.write(block(lines)),
    skillOutput: (text) => stdout.write(stdout.isTTY ? printable(text.replaceAll('\r\n', '\n')) : text),
    skillLog: (text) => {
      if (text === '') return;
      const whole = text.endsWith('\n') ? text : `${text}\n`;
      stderr.write(stderr.isTTY ? printable(whole) : whole);
    },
    skillLogPart: (text) => stderr.write(stderr.isTTY ? printable(text) : text),
    note: (...lines) => stderr.write(block(lines)),
    style: (style, text) => (colours ? styleText(style, text, { validateStream: false }) : text),
  };
}

/** A terminal that can, unless NO_COLOR says not; whatever it is, where FORCE_COLOR says so. `--no-color` goes over both. */
function hasColours({ stdout, env }: Pick<Terminal, 'stdout' | 'env'>): boolean {
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (env['NO_COLOR']) return false;
  return stdout.isTTY === true && (stdout.hasColors?.() ?? false);
}
