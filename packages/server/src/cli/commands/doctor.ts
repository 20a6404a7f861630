import type { Command } from 'commander';
import { type DoctorCheck, neededChecks } from '../actions/doctor-report.ts';
import type { Printer } from '../printer.ts';
import { printable, printableLine } from '../text/printable.ts';
import { type CommandContext, examples, flagsOf } from './command-context.ts';

/** `ambit doctor`: what this machine can and cannot isolate. */
export function addDoctor(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .summary('say what is wrong with this machine, its files or the daemon')
    .description(
      'Says what this machine can and cannot isolate, and how the data directory, the keys, the configuration and the daemon are: what was found, what it means, and how to mend it.',
    )
    .addHelpText(
      'after',
      examples(
        ['ambit doctor', 'every check'],
        ['ambit doctor --json', 'for a script; the exit code is 4 when calls are refused'],
      ),
    )
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf(context, command);
      const report = await context.actions.inspectMachine(await context.actions.loadConfig(flags));
      if (print.json) print.document(report);
      else print.lines(...report.checks.flatMap((check) => checkText(print, check)));
      const blocked = report.checks.some(
        ({ name, status }) => neededChecks.includes(name) && status === 'missing',
      );
      context.exitCode = blocked ? 4 : 0;
    });
}

const styles = { ok: 'green', limited: 'yellow', missing: 'red' } as const;

function checkText(print: Printer, { name, status, found, meaning, fix }: DoctorCheck): string[] {
  return [
    `${print.style(styles[status], status.padEnd(7))}  ${name}: ${printableLine(found)}`,
    `         ${meaning}`,
    ...(fix === undefined
      ? []
      : printable(fix)
          .split('\n')
          .map((line, index) => `         ${index === 0 ? 'To mend it: ' : ''}${line}`)),
  ];
}
