import { AmbitError, type AmbitErrorCode, AmbitProblem, UnsendableError } from '@ambit/client';
import { SkillError, type SkillErrorCode } from '@ambit/core';
import { skillErrorCodes } from '@ambit/core/internal';
import { CliError } from '../cli-error.ts';

/** What the client throws, as what it is here: the error that it was in the daemon, or why there is no answer. */
export function localError(url: string, error: unknown): unknown {
  if (error instanceof AmbitProblem) return refusal(url, error.problem);
  if (error instanceof UnsendableError) return new CliError('USAGE_INVALID', error.message, { cause: error });
  return error instanceof AmbitError ? unanswered(url, error) : error;
}

/** For a daemon's answers: each is what it resolves to, and a rejection is what it is here. */
export function heardFrom(url: string): <Answer>(answer: Promise<Answer>) => Promise<Answer> {
  return async (answer) => {
    try {
      return await answer;
    } catch (error) {
      throw localError(url, error);
    }
  };
}

function refusal(url: string, problem: AmbitProblem['problem']): SkillError | CliError {
  const { code, detail, type: _type, title: _title, instance: _instance, status, ...details } = problem;
  if (isSkillErrorCode(code)) return new SkillError(code, detail, { details });
  const message = `the daemon at ${url} refused the call with ${status} ${code}: ${detail}`;
  return new CliError('DAEMON_REFUSED', message, { details: { ...details, code, status } });
}

function isSkillErrorCode(code: string): code is SkillErrorCode {
  return (skillErrorCodes as readonly string[]).includes(code);
}

function unanswered(url: string, cause: AmbitError): CliError {
  const messages: Record<AmbitErrorCode, string> = {
    UNREACHABLE: `the daemon does not answer at ${url}; ambit doctor says more, and if it hangs, stop it and try again`,
    TIMED_OUT: `the daemon at ${url} is silent; ambit doctor says more, and if it hangs, stop it and try again`,
    NOT_AMBIT: `what answers at ${url} is no daemon of Ambit, or not one that this understands; check the address`,
    ANSWER_TOO_LARGE: `the daemon at ${url} answers with more than is read here; ask for less`,
    ANSWER_GONE: cause.message,
  };
  return new CliError('DAEMON_UNREACHABLE', messages[cause.code], { cause });
}
