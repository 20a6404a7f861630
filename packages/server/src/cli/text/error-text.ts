import { SkillError, type SkillErrorCode } from '@ambit/core';
import { thrownText } from '@ambit/core/internal';
import { CommanderError } from 'commander';
import { ConfigError } from '../../config/config-error.ts';
import { UntrustedError } from '../../config/untrusted-error.ts';
import { CliError } from '../cli-error.ts';

/** An error as it is printed; with `--json`, without `next`. */
interface ErrorText {
  code: string;
  message: string;
  details: Readonly<Record<string, unknown>>;
  /** What to do, where the message does not say it. */
  next: string | undefined;
}

/**
 * Whatever a command threw, in words. `debug`: with where a fault of ours comes from; otherwise nobody is shown a stack.
 */
export function errorText(error: unknown, { debug = false }: { debug?: boolean } = {}): ErrorText {
  if (error instanceof SkillError) {
    // Here is the log that the message speaks of: this process has no other.
    return {
      ...facts(error),
      next: error.code === 'INTERNAL' ? ofFault(error.cause, debug) : nextSteps[error.code],
    };
  }
  if (error instanceof CliError || error instanceof ConfigError || error instanceof UntrustedError)
    return { ...facts(error), next: undefined };
  if (error instanceof CommanderError) {
    const message =
      error.code === 'commander.help'
        ? 'no command is given, or none that there is'
        : error.message.replace(/^error: /, '').replace('\n(', ' (');
    return {
      code: 'USAGE_INVALID',
      message,
      details: {},
      next: 'ambit --help and ambit COMMAND --help show how it is used.',
    };
  }
  return {
    code: 'INTERNAL',
    message: thrownText(error),
    details: {},
    next: ofFault(error, debug),
  };
}

function ofFault(error: unknown, debug: boolean): string | undefined {
  if (debug) return error instanceof Error ? error.stack : undefined;
  return 'This is a fault of Ambit itself. AMBIT_DEBUG=1 before the command shows where, for a report of it.';
}

function facts({
  code,
  message,
  details,
}: SkillError | CliError | ConfigError | UntrustedError): Omit<ErrorText, 'next'> {
  return { code, message, details: { ...details } };
}

const nextSteps: Record<SkillErrorCode, string | undefined> = {
  SKILL_NOT_FOUND: undefined,
  SKILL_NOT_EXECUTABLE: undefined,
  SKILL_INVALID: 'ambit skills validate lists everything that is wrong with a skill.',
  SKILL_CHANGED: 'Nothing has run. Run the command again.',
  SKILL_CYCLE: 'Leave one of them out with --exclude, or take one requires out of an ambit.yaml.',
  INPUT_INVALID: 'ambit skills show SKILL prints how to call it.',
  CAPABILITY_DENIED:
    'After an edit of ambit.config.yaml, run: ambit trust. ambit config shows which file is read.',
  CAPABILITY_UNSUPPORTED: undefined,
  SECRET_UNAVAILABLE: 'The operator mends it under secrets in the configuration.',
  PROGRAM_MISSING: 'ambit doctor lists which of the usual programs this machine has.',
  SANDBOX_UNAVAILABLE: 'ambit doctor says what is missing and how to mend it.',
  AUDIT_UNAVAILABLE: undefined,
  WORKSPACE_NOT_FOUND: 'ambit workspace list shows those there are.',
  WORKSPACE_FILE_NOT_FOUND: 'ambit workspace list ID shows its files.',
  WORKSPACE_BUSY: undefined,
  WORKSPACE_FULL: 'ambit workspace remove ID PATH makes room.',
  WORKSPACE_LIMIT: 'ambit workspace remove ID makes room.',
  OVERLOADED: undefined,
  INTERNAL: undefined,
};
