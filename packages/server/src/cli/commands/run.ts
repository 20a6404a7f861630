import { resolve } from 'node:path';
import { CallContext, type CallerInput, type FileChange, type Narrowing } from '@ambit/core';
import { type Command, InvalidArgumentError } from 'commander';
import type { Config } from '../../config/config.ts';
import { type Answered, executeAnswer } from '../../wire/execute-answer.ts';
import { outcomeText } from '../../wire/outcome-text.ts';
import type { Call, Runner } from '../actions.ts';
import { CliError } from '../cli-error.ts';
import type { ExitCode } from '../exit-codes.ts';
import { type ShownRun, shownRun } from '../live/shown-run.ts';
import type { Printer } from '../printer.ts';
import { readInput, readJson } from '../read-input.ts';
import { receipted } from '../save-receipt.ts';
import { onInterrupt, type Terminal } from '../terminal.ts';
import { printable } from '../text/printable.ts';
import { readFiles, saveFiles } from '../workspace-files.ts';
import { type CommandContext, collect, examples, flagsOf } from './command-context.ts';

interface RunFlags {
  input?: string;
  stdin?: string;
  context?: string;
  script?: string;
  file?: string[];
  save?: string;
  receipt?: string;
  workspace?: string;
  read?: string[];
  timeout?: number;
  stream?: boolean;
}

/** `ambit run`: one call, through the daemon where there is one. */
export function addRun(program: Command, context: CommandContext): void {
  program
    .command('run')
    .summary('execute a skill')
    .description(
      'Executes one skill within its bounds and prints its output. Where a daemon holds the data directory the call goes through it; otherwise it runs in this process, recorded alike. Ctrl-C cancels it.',
    )
    .argument('<skill>', 'which skill')
    .argument('[args...]', 'for protocol command: its arguments, after --')
    .option('--input <file>', 'for protocol json: the input; - is stdin')
    .option('--stdin <file>', 'for protocol command: what it reads on stdin; - is stdin')
    .option(
      '--context <file>',
      'where the call comes from, as JSON, for skills that ask; its "memory" can be recalled',
    )
    .option('--script <path>', 'for a skill without ambit.yaml: which of its scripts')
    .option('--file <path>', 'put this file into the workspace, under its own name; again for more', collect)
    .option('--save <folder>', 'write what the run left in its workspace below this folder')
    .option('--workspace <id>', 'run in this workspace of the daemon, which keeps what the run leaves')
    .option('--receipt <file>', 'write a signed receipt of the call there, also when it is refused')
    .option('--read <path>', 'of the paths that the skill may read, only this one; again for more', collect)
    .option('--timeout <ms>', 'stop it after this long, if no other limit is lower', milliseconds)
    .option('--stream', 'print what it writes as it comes, also where no terminal shows it')
    .addHelpText(
      'after',
      examples(
        ['ambit run csv-profile --input request.json', 'protocol json: the input from a file'],
        [`echo '{"text":"ada@example.org"}' | ambit run text-redact --input -`, 'the input from stdin'],
        ['ambit run git-summary -- /srv/repos/shop --max 5', 'protocol command: arguments'],
        [
          'ambit run git-summary --read /srv/repos/shop -- /srv/repos/shop',
          'with less than the operator grants',
        ],
      ),
    )
    .action(async (skillId: string, args: string[], _options, command: Command) => {
      const { flags, print } = flagsOf<RunFlags>(context, command);
      if (flags.stream && print.json) {
        throw new CliError(
          'USAGE_INVALID',
          '--json prints one document at the end: leave out --stream or --json',
        );
      }
      const config = await context.actions.loadConfig(flags);
      const input = await callerInput(context.terminal, args, flags, config.bodyLimitBytes);
      const call = {
        skillId,
        input,
        narrowing: narrowing(context.terminal.cwd(), flags),
        ...(flags.receipt !== undefined && { receipt: true }),
        ...(flags.workspace !== undefined && { workspace: flags.workspace }),
        ...(flags.save !== undefined && { fileContents: true }),
      };
      const runner = await runnerFor(context, config, call);
      try {
        context.exitCode = await execute(context.terminal, print, runner, call, flags);
      } finally {
        await runner.close();
      }
    });
}

async function runnerFor({ actions }: CommandContext, config: Config, { workspace }: Call): Promise<Runner> {
  const daemon = await actions.connectDaemon(config);
  if (daemon !== undefined) return daemon;
  if (workspace === undefined) return actions.openRunner(config);
  throw new CliError(
    'DAEMON_UNREACHABLE',
    'workspaces are kept by a daemon, and none runs; start it with ambit serve, or leave --workspace out',
  );
}

function milliseconds(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write milliseconds, a whole number above 0.');
}

async function callerInput(
  terminal: Terminal,
  args: readonly string[],
  { input, stdin, context, script, file = [] }: RunFlags,
  bytesMax: number,
): Promise<CallerInput> {
  if (input === '-' && stdin === '-') {
    throw new CliError('USAGE_INVALID', 'stdin can be read once: give --input or --stdin a file');
  }
  return {
    ...(input === undefined ? {} : { input: await readJson(terminal, input, bytesMax) }),
    ...(context === undefined
      ? {}
      : { context: contextIn(context, await readJson(terminal, context, bytesMax)) }),
    ...(stdin === undefined ? {} : { stdin: await readInput(terminal, stdin, bytesMax) }),
    ...(args.length === 0 ? {} : { args }),
    ...(script === undefined ? {} : { script }),
    ...(file.length === 0 ? {} : { files: await readFiles(terminal.cwd(), file, bytesMax) }),
  };
}

function contextIn(source: string, value: unknown): CallContext {
  const parsed = CallContext.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new CliError(
    'USAGE_INVALID',
    `${source} is no context: write an object, with "memory" as a list of texts if it has one`,
  );
}

function narrowing(cwd: string, { read, timeout }: RunFlags): Narrowing {
  return {
    ...(read === undefined
      ? {}
      : { capabilities: { filesystem: { read: read.map((path) => resolve(cwd, path)) } } }),
    ...(timeout === undefined ? {} : { limits: { timeoutMs: timeout } }),
  };
}

async function execute(
  terminal: Terminal,
  print: Printer,
  runner: Runner,
  call: Call,
  { save, receipt, stream }: Pick<RunFlags, 'save' | 'receipt' | 'stream'>,
): Promise<ExitCode> {
  const interrupt = new AbortController();
  using _interrupt = onInterrupt(terminal, () =>
    interrupt.abort(new Error('interrupted at the command line')),
  );
  using shown = shownRun(terminal, print, call.skillId, stream === undefined ? {} : { stream });
  try {
    const running = runner.execute(call, interrupt.signal, shown.watch);
    const result = await receipted(terminal, receipt, running);
    shown[Symbol.dispose]();
    if (save !== undefined) await saveFiles(resolve(terminal.cwd(), save), result.files ?? []);
    const exitCode = print.json ? printResult(print, result) : printOutcome(print, shown, call, result);
    return interrupt.signal.aborted ? 130 : exitCode;
  } catch (error) {
    // A daemon cancels the call of a client that goes; its record is there, and the answer never comes.
    if (error !== interrupt.signal.reason) throw error;
    const message = `${call.skillId} was canceled: ${interrupt.signal.reason.message}.`;
    if (print.json) throw new CliError('INTERRUPTED', message);
    print.note(message);
    return 130;
  }
}

function printResult(print: Printer, result: Answered): ExitCode {
  print.document(executeAnswer(result));
  return result.outcome.status === 'succeeded' ? 0 : 1;
}

function printOutcome(
  print: Printer,
  shown: ShownRun,
  { skillId, input }: Call,
  { outcome, log, executionId, files = [], workspace }: Answered,
): ExitCode {
  if (outcome.status === 'succeeded') {
    print.skillLog(shown.rest('log', log));
    // A skill takes "input" exactly when its protocol is json; the other is answered with a command's two streams.
    if (input.input !== undefined) print.document(outcome.output);
    else print.skillOutput(shown.rest('stdout', (outcome.output as { stdout: string }).stdout));
    if (files.length > 0) print.note(...files.map(changeText).map(printable));
    if (workspace?.kept === false) print.note(printable(notKept(workspace)));
    return 0;
  }
  if (outcome.status === 'failed' && outcome.stdout !== undefined)
    print.skillOutput(shown.rest('stdout', outcome.stdout));
  print.skillLog(shown.rest('log', 'stderr' in outcome ? outcome.stderr : log));
  print.note(
    ...outcomeText(skillId, outcome, ' So does --timeout.').map(printable),
    ...(workspace?.kept === false ? [printable(notKept(workspace))] : []),
    `Its record in the audit log is ${executionId}.`,
  );
  return 1;
}

function notKept({ id, why }: { id: string; why: string }): string {
  return `The workspace ${id} is as it was: ${why}.`;
}

function changeText({ path, change, bytes, omitted }: FileChange): string {
  const size = change === 'deleted' ? '' : `, ${bytes} bytes`;
  return `${change}: ${path}${size}${omitted === undefined ? '' : ` (${omitted})`}`;
}
