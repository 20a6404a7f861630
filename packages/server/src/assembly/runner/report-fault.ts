import type { Environment } from '@ambit/runtime';
import { printableLine } from '../../cli/text/printable.ts';

/** As much of a fault as is said: what a client sent may be in it. */
const most = 300;

/**
 * Says on stderr, which is what a command has for a log, what went wrong beside the answers that it gives: a line, and with
 * `AMBIT_DEBUG` where it comes from.
 */
export function reportFault(environment: Environment): (cause: unknown) => void {
  return (cause) => {
    const { name, message, stack } = cause instanceof Error ? cause : new Error(String(cause));
    const text = printableLine(`${name}: ${message}`);
    const line = text.length > most ? `${text.slice(0, most)}…` : text;
    process.stderr.write(`ambit: ${environment['AMBIT_DEBUG'] ? (stack ?? line) : line}\n`);
  };
}
