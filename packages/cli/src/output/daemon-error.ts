import { refusedOf } from '@ambit/api';
import { AmbitError, type AmbitErrorCode, AmbitProblem, UnsendableError } from '@ambit/client';
import { SkillError, type SkillErrorCode } from '@ambit/core';
import { skillErrorCodes, UsageError } from '@ambit/core/outcome';
import { Refusal } from '@ambit/server/errors';
import { withoutNextRequest } from '@ambit/server/wire';

/**
 * The error of a client as the daemon's own error, or as the reason for the missing answer. Returns other errors unchanged.
 * `daemon` is the one that was called.
 */
export function daemonError(error: unknown, { url }: { url: string } = { url: '' }): unknown {
  if (error instanceof AmbitProblem) return refusal(url, error.problem);
  if (error instanceof UnsendableError) return new UsageError(error.message, { cause: error });
  return error instanceof AmbitError ? unanswered(url, error) : error;
}

function refusal(url: string, problem: AmbitProblem['problem']): SkillError | Refusal {
  const { code, detail, type: _type, title: _title, instance: _instance, status, ...details } = problem;
  if (isSkillErrorCode(code)) return new SkillError(code, withoutNextRequest(code, detail), { details });
  if (refusedOf(code) !== undefined) return new Refusal(code, detail, { details });
  const message = `the daemon at ${url} refused the call with ${status} ${code}: ${detail}`;
  return new Refusal('DAEMON_REFUSED', message, { details: { ...details, code, status } });
}

function isSkillErrorCode(code: string): code is SkillErrorCode {
  return (skillErrorCodes as readonly string[]).includes(code);
}

/** The system's code for a connection that failed. */
function codeOf(error: unknown): string | undefined {
  for (let each = error; each instanceof Error; each = each.cause)
    if ('code' in each && String(each.code).startsWith('E')) return String(each.code);
  return undefined;
}

function unanswered(url: string, cause: AmbitError): Refusal {
  // A socket of a stopped daemon is gone.
  const isRefused = ['ECONNREFUSED', 'ENOENT'].includes(codeOf(cause) ?? '');
  const messages: Record<AmbitErrorCode, string> = {
    UNREACHABLE: isRefused
      ? `nothing listens at ${url}. Start the daemon there (ambit serve), or correct the address`
      : `cannot reach the daemon at ${url}. Run ambit doctor for the cause; if the daemon hangs, restart it`,
    TIMED_OUT: `the daemon at ${url} did not respond in time. Run ambit doctor for the cause; if the daemon hangs, restart it`,
    NOT_AMBIT: `the server at ${url} is not an Ambit daemon, or has an incompatible version. Check the address`,
    ANSWER_TOO_LARGE: `the response of the daemon at ${url} is too large. Request less`,
    ANSWER_GONE: cause.message,
  };
  return new Refusal('DAEMON_UNREACHABLE', messages[cause.code], { cause });
}
