import type { Config } from '@ambit/server/config';
import {
  configurationCheckName,
  type DoctorCheck,
  type DoctorReport,
  neededChecks,
} from '@ambit/server/doctor';
import { decisionText, UntrustedError } from '@ambit/server/trust';
import manifest from '../../package.json' with { type: 'json' };
import { type CommandContext, defineCommand } from '../command/define-command.ts';
import { printable, printableLine } from '../output/printable.ts';
import type { Printer } from '../output/printer.ts';

/** `ambit doctor`: diagnoses this machine, its files and the daemon. */
export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'diagnose this machine, its files and the daemon',
  description:
    'Check what this machine can isolate, and the state of the data directory, the keys, the configuration and the daemon. Each check shows what was found, what it means, and how to fix it.',
  remote: true,
  examples: {
    'ambit doctor': 'every check',
    'ambit doctor --json': 'for a script; exits with 4 if calls are refused',
  },
  async run(context) {
    const { print } = context;
    const report = await inspected(context);
    if (print.json) print.document(report);
    else print.lines(...report.checks.flatMap((check) => checkText(print, check)));
    context.exitCode = isBlocked(report) ? 4 : 0;
  },
});

/** Whether calls are refused until something is fixed. */
export function isBlocked({ checks }: DoctorReport): boolean {
  return checks.some(({ name, status }) => neededChecks.includes(name) && status === 'missing');
}

/** Reports an untrusted configuration as a check, and still checks the machine. */
async function inspected({ loadConfig, terminal, flags }: CommandContext): Promise<DoctorReport> {
  const { inspectMachine } = await import('@ambit/server/local');
  const inspect = (config: Config | undefined) => inspectMachine(config, manifest.version, terminal.env);
  try {
    return await inspect(await loadConfig(flags));
  } catch (error) {
    if (!(error instanceof UntrustedError)) throw error;
    const { checks } = await inspect(undefined);
    return { checks: [...checks, untrustedCheck(error, terminal)] };
  }
}

function untrustedCheck(
  { what, details: { path, reason, command } }: UntrustedError,
  terminal: CommandContext['terminal'],
): DoctorCheck {
  return {
    name: configurationCheckName,
    status: 'missing',
    found: `the ${what} ${path} is not trusted: ${reason}`,
    meaning: 'Ambit does not use it, and refuses commands that need it with CONFIG_UNTRUSTED',
    fix: decisionText(terminal, command, 'A person decides, in a terminal, whether to trust it'),
  };
}

const styles = { ok: 'green', limited: 'yellow', missing: 'red', trusted: 'red' } as const;

/** A check in lines. */
export function checkText(
  print: Pick<Printer, 'style'>,
  { name, status, found, meaning, fix }: DoctorCheck,
): string[] {
  return [
    `${print.style(styles[status], status.padEnd(7))}  ${name}: ${printableLine(found)}`,
    `         ${meaning}`,
    ...(fix === undefined
      ? []
      : printable(fix)
          .split('\n')
          .map((line, index) => `         ${index === 0 ? 'To fix it: ' : ''}${line}`)),
  ];
}
