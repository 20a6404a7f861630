import { styleText } from 'node:util';
import { printable } from './printable.ts';
import type { Terminal } from './terminal.ts';

/** Prints for one command: the result to stdout, everything else to stderr. */
export interface Printer {
  /** Whether the output is one JSON document. */
  readonly json: boolean;
  /** Characters per line. */
  readonly width: number;
  /** Prints JSON: indented on a terminal, otherwise on one line. */
  document(value: unknown): void;
  /** Prints one of many JSON documents, one per line. */
  jsonLine(value: unknown): void;
  lines(...lines: readonly string[]): void;
  /** Prints a skill's output: unchanged for a program, made safe on a terminal. */
  skillOutput(text: string): void;
  /** Prints output that is not text, for a program or a file. */
  skillBytes(bytes: Uint8Array): void;
  skillLog(text: string): void;
  /** The same for a part of the log, which may end within a line. */
  skillLogPart(text: string): void;
  note(...lines: readonly string[]): void;
  style(style: 'bold' | 'dim' | 'green' | 'yellow' | 'red', text: string): string;
}

/** A printer that uses colors only if they are wanted and the terminal supports them. */
export function printer(
  terminal: Terminal,
  { json = false, color = true }: { json?: boolean; color?: boolean },
): Printer {
  const { stdout, stderr } = terminal;
  const hasColors = color && usesColors(terminal);
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
    skillBytes: (bytes) => stdout.write(bytes),
    skillLog: (text) => {
      if (text === '') return;
      const whole = text.endsWith('\n') ? text : `${text}\n`;
      stderr.write(stderr.isTTY ? printable(whole) : whole);
    },
    skillLogPart: (text) => stderr.write(stderr.isTTY ? printable(text) : text),
    note: (...lines) => stderr.write(block(lines)),
    style: (style, text) => (hasColors ? styleText(style, text, { validateStream: false }) : text),
  };
}

/** FORCE_COLOR decides first, then NO_COLOR, then the terminal. `--no-color` overrides all of them. */
function usesColors({ stdout, env }: Pick<Terminal, 'stdout' | 'env'>): boolean {
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (env['NO_COLOR']) return false;
  return stdout.isTTY === true && (stdout.hasColors?.() ?? false);
}
