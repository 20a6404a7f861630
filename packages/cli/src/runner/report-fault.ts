import type { Environment } from '@ambit/runtime';
import { printableLine } from '../output/printable.ts';

/** The length limit of a printed error, which may quote a client. */
const charactersMax = 300;

/** Prints an internal error to stderr as one line; with `AMBIT_DEBUG` with its stack. */
export function reportFault(environment: Environment): (cause: unknown) => void {
  return (cause) => {
    const { name, message, stack } = cause instanceof Error ? cause : new Error(String(cause));
    const text = printableLine(`${name}: ${message}`);
    const line = text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
    process.stderr.write(`ambit: ${environment['AMBIT_DEBUG'] ? (stack ?? line) : line}\n`);
  };
}
