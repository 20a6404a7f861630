import { commandCodes, type ExitCode, refusedOf } from '@ambit/api';
import { CodedError, thrownText } from '@ambit/core/outcome';
import { Refusal } from '@ambit/server/errors';
import { decisionText, shellWord, UntrustedError } from '@ambit/server/trust';
import { CommanderError } from 'commander';
import { nextCommand, type RepeatedFlags } from './next-command.ts';
import type { Terminal } from './terminal.ts';

/** A printed error. With `--json`, `next` is omitted. */
interface ErrorText {
  code: string;
  message: string;
  details: Readonly<Record<string, unknown>>;
  /** The next step, if the message does not include it. */
  next: string | undefined;
}

interface ErrorContext {
  /** Whether it is a terminal decides which commands the text may have. */
  stdin: Pick<Terminal['stdin'], 'isTTY'>;
  /** Whether to include the stack of an internal error. */
  debug?: boolean;
  /** The skill that the command called. */
  skillId?: string | undefined;
  /** The folder of that skill, if it is invalid. */
  skillFolder?: string | undefined;
  /** The flags of the command. */
  flags?: RepeatedFlags;
  /** The configuration to edit, if it needs no trust: the user named it, or it is the user's own. It need not exist. */
  configFile?: string | undefined;
  /** The command, with "ambit". */
  command?: string | undefined;
}

/** The exit code for anything that a command throws. An unknown error is internal: 5. */
export function exitCodeOf(error: unknown): ExitCode {
  if (!(error instanceof CodedError)) return 5;
  const exitCodes: Partial<Record<string, ExitCode>> = commandCodes;
  return exitCodes[error.code] ?? refusedOf(error.code)?.exitCode ?? 5;
}

/** The text for anything that a command throws. */
export function errorText(error: unknown, context: ErrorContext): ErrorText {
  const { stdin, debug = false, command = 'ambit' } = context;
  if (error instanceof UntrustedError) {
    const { path, reason, command: toTrust } = error.details;
    return {
      ...facts(error),
      details: stdin.isTTY === true ? error.details : { path, reason },
      next:
        error.what === "user's configuration"
          ? decisionText(
              { stdin },
              `If you wrote what is in it, run: ${toTrust}`,
              'In a terminal, Ambit names the command that corrects this.',
            )
          : decisionText(
              { stdin },
              `To review and trust it, run: ${toTrust}`,
              'In a terminal, Ambit shows them what it allows, and asks.',
            ),
    };
  }
  if (error instanceof CodedError) return { ...facts(error), next: nextStep(error, context) };
  if (error instanceof CommanderError) {
    const message =
      error.code === 'commander.help'
        ? 'missing or unknown command'
        : error.message
            .replace(/^error: /, '')
            .replace('\n(', ' (')
            .replace(/^command-argument value '(.*)' is invalid for argument '(.*?)'\./s, 'invalid $2 "$1".');
    return {
      code: 'USAGE_INVALID',
      message,
      details: {},
      next: `For usage, run: ${command} --help`,
    };
  }
  return {
    code: 'INTERNAL',
    message: thrownText(error),
    details: {},
    next: internalErrorHint(error, debug),
  };
}

function nextStep(
  error: CodedError<string>,
  { stdin, debug = false, skillId = 'SKILL', skillFolder, flags = {}, configFile }: ErrorContext,
): string | undefined {
  switch (error.code) {
    // Print the cause here: a command has no log to look it up in.
    case 'INTERNAL':
      return internalErrorHint(error.cause, debug);
    case 'CAPABILITY_DENIED':
    case 'SECRET_UNAVAILABLE':
      return configurationStep(error.message, configFile, flags, stdin);
    case 'SKILL_INVALID':
      if (skillFolder !== undefined)
        return `To list every problem of this skill, run: ambit skills validate ${shellWord(skillFolder)}`;
      return nextCommand('To list every problem of a skill, run: ambit skills validate', flags, {
        isLocal: true,
      });
  }
  if (error instanceof Refusal && stdin.isTTY === true && error.decision !== undefined) return error.decision;
  const step = refusedOf(error.code)?.next?.person?.replace('SKILL', skillId);
  return step?.includes('run: ambit ') ? nextCommand(step, flags) : step;
}

/** Returns the step after the edit that a message suggests; `undefined` if it suggests none. */
function configurationStep(
  message: string,
  configFile: string | undefined,
  flags: RepeatedFlags,
  stdin: ErrorContext['stdin'],
): string | undefined {
  if (!message.includes('ambit.config.yaml')) return undefined;
  return configFile === undefined
    ? nextCommand(
        `${decisionText(
          { stdin },
          'After you edit ambit.config.yaml, run: ambit trust.',
          'A person decides, in a terminal, whether to trust the edited ambit.config.yaml.',
        )} To see which file is used, run: ambit config`,
        flags,
        { isLocal: true },
      )
    : nextCommand(
        `Here the configuration to edit is ${configFile}. It needs no trust. To apply it to a running daemon, run: ambit config reload`,
        flags,
        { isLocal: true },
      );
}

function internalErrorHint(error: unknown, debug: boolean): string | undefined {
  if (debug) return error instanceof Error ? error.stack : undefined;
  return 'This is a bug in Ambit. To get a stack trace for a bug report, run the command again with AMBIT_DEBUG=1.';
}

function facts({ code, message, details }: CodedError<string>): Omit<ErrorText, 'next'> {
  return { code, message, details: { ...details } };
}
