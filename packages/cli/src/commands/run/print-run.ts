import type { ExitCode } from '@ambit/api';
import type { CommandOutput } from '@ambit/core/outcome';
import { type Denial, denialText } from '@ambit/core/policy';
import type { FileChange } from '@ambit/core/workspace';
import { decisionText } from '@ambit/server/trust';
import { type AnsweredCall, executeAnswer, missingProgramsText, outcomeText } from '@ambit/server/wire';
import { nextCommand, type RepeatedFlags } from '../../output/next-command.ts';
import { printable } from '../../output/printable.ts';
import type { Printer } from '../../output/printer.ts';
import type { Terminal } from '../../output/terminal.ts';
import type { Call } from './call-of.ts';
import type { ShownRun } from './shown-run.ts';

interface PrintOptions {
  /** Whether --save wrote the files of the run. */
  saved: boolean;
  flags: RepeatedFlags;
  terminal: Terminal;
}

/** Prints the result of a call, except for the output that `shown` has printed. Returns the exit code. */
export function printRun(
  print: Printer,
  shown: ShownRun,
  call: Call,
  result: AnsweredCall,
  options: PrintOptions,
): ExitCode {
  return print.json ? printResult(print, result) : printOutcome(print, shown, call, result, options);
}

function printResult(print: Printer, result: AnsweredCall): ExitCode {
  print.document(executeAnswer(result));
  return result.outcome.status === 'succeeded' ? 0 : 1;
}

function printOutcome(
  print: Printer,
  shown: ShownRun,
  { skillId, input }: Call,
  {
    outcome,
    log,
    executionId,
    files: changed,
    workspace,
    hint,
    remedy,
    denials = [],
    missingPrograms = [],
  }: AnsweredCall,
  { saved, flags, terminal }: PrintOptions,
): ExitCode {
  const files = changed ?? [];
  if (outcome.status === 'succeeded') {
    print.skillLog(shown.rest('log', log));
    // After "input" the output is JSON, or text with the reason. The output of protocol command has stdout and stderr.
    const { notJson } = outcome;
    const { stdout, encoding } = outcome.output as Partial<CommandOutput>;
    if (outcome.encoding === 'base64') printBytes(print, skillId, outcome.output as string, shown);
    else if (encoding === 'base64' && input.input === undefined)
      printBytes(print, skillId, stdout ?? '', shown);
    else if (notJson !== undefined) {
      print.skillOutput(outcome.output as string);
      print.note(printable(`The output of ${skillId} is text: ${notJson}.`));
    } else if (input.input !== undefined) print.document(outcome.output);
    else print.skillOutput(shown.rest('stdout', (outcome.output as { stdout: string }).stdout));
    if (files.length > 0) print.note(...files.map(changeText).map(printable));
    if (saved && changed === undefined)
      print.note(`${skillId} has no workspace, so --save has no files to save.`);
    if (!saved && workspace === undefined && files.some(({ change }) => change !== 'deleted'))
      print.note('These files were discarded. To save them, add: --save FOLDER');
    if (workspace?.stored === false) print.note(printable(unchangedText(workspace)));
    if (workspace?.stored && workspace.leftOut !== undefined) print.note(printable(leftOutText(workspace)));
    if (denials.length > 0) print.note(...denials.map(deniedText).map(printable));
    if (missingPrograms.length > 0)
      print.note(...missingLines(skillId, missingPrograms, { flags, terminal }));
    return 0;
  }
  if ('stdout' in outcome && outcome.stdout !== undefined)
    print.skillOutput(shown.rest('stdout', outcome.stdout));
  print.skillLog(
    shown.rest('log', 'stderr' in outcome && outcome.stderr !== undefined ? outcome.stderr : log),
  );
  const lines = outcomeText(skillId, outcome, { hint, remedy });
  // A module's error can contain the denial.
  const others = denials.filter((denial) => !lines[0].includes(denial.remedy));
  print.note(
    ...lines.map(printable),
    ...others.map(deniedText).map(printable),
    ...(workspace?.stored === false ? [printable(unchangedText(workspace))] : []),
    ...(missingPrograms.length === 0 ? [] : missingLines(skillId, missingPrograms, { flags, terminal })),
    nextCommand(`For its audit record, run: ambit audit show ${executionId}`, flags),
  );
  return 1;
}

/** Programs that the run may have lacked, and at a terminal the command that grants all of them. */
function missingLines(
  skillId: string,
  programs: readonly string[],
  { flags, terminal }: Pick<PrintOptions, 'flags' | 'terminal'>,
): string[] {
  const what = missingProgramsText(skillId, programs);
  return [
    decisionText(
      terminal,
      `${what} To grant what it needs:\nNext: ${nextCommand(`ambit skills propose ${skillId} --write`, flags, { isLocal: true })}`,
      `${what} A person decides, in a terminal, what to grant.`,
    ),
  ];
}

/** Output that is not text: exact for a program or a file. A terminal has shown what it can of it. */
function printBytes(print: Printer, skillId: string, base64: string, { isLive }: ShownRun): void {
  const bytes = Buffer.from(base64, 'base64');
  const where = 'To save them, write stdout to a file, without --stream: > FILE';
  if (isLive)
    print.note(printable(`The output of ${skillId} has ${bytes.length} bytes that are not text. ${where}`));
  else print.skillBytes(bytes);
}

function deniedText(denial: Denial): string {
  return `Denied during the run: ${denialText(denial)}`;
}

function unchangedText({ id, why }: { id: string; why: string }): string {
  return `The workspace ${id} is unchanged: ${why}.`;
}

function changeText({ path, change, bytes, omitted, redacted, link, folder }: FileChange): string {
  const name = folder ? `${path}/` : link === undefined ? path : `${path} -> ${link}`;
  const isFile = change !== 'deleted' && !folder && link === undefined;
  const notes = [omitted, redacted && 'a secret is redacted'].filter((note) => note !== undefined);
  return `${change}: ${name}${isFile ? `, ${bytes} bytes` : ''}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
}

/** Names what a workspace does not have although it stored the rest. */
function leftOutText({ id, leftOut = [] }: { id: string; leftOut?: readonly { path: string }[] }): string {
  return `The workspace ${id} stores the run without: ${leftOut.map(({ path }) => path).join(', ')}.`;
}
