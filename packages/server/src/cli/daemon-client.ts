import {
  type AmbitClientOptions,
  AmbitError,
  type AmbitErrorCode,
  AmbitProblem,
  ambitClient,
  type ExecuteOptions,
  type ExecuteAnswer as SentAnswer,
  UnsendableError,
} from '@ambit/client';
import { type RunWatch, SkillError, type SkillErrorCode, skillErrorCodes } from '@ambit/core';
import { type ExecuteAnswer, executeResult } from '../wire/execute-answer.ts';
import type { Call, Runner } from './actions.ts';
import { CliError } from './cli-error.ts';

/** Runs calls in a daemon. Refusals come back as the errors that they were there. */
export function daemonClient(daemon: AmbitClientOptions): Runner {
  const client = ambitClient(daemon);
  return {
    async execute({ skillId, input, narrowing, receipt, workspace, fileContents }, signal, watch) {
      const { input: given, files, ...rest } = input;
      const options = {
        ...{ ...rest, ...narrowing, files: sentFiles(files), receipt, signal },
        // A call without a workspace has the contents anyway.
        ...(workspace === undefined ? {} : { workspace, fileContents }),
      };
      try {
        const answer =
          watch === undefined
            ? await client.execute(skillId, given, options)
            : await watched(client.stream(skillId, given, options), watch);
        // What the client knows of it was made from the same schema.
        return executeResult(answer as ExecuteAnswer);
      } catch (error) {
        throw saidHere(daemon.url, error);
      }
    },
    async close() {
      // Every call has its own connection, which `fetch` keeps.
    },
  };
}

function sentFiles(files: Call['input']['files']): ExecuteOptions['files'] {
  return files?.map(({ path, content }) => ({ path, base64: Buffer.from(content).toString('base64') }));
}

/** The answer at the end of a stream, and before it what happens. */
async function watched(
  stream: ReturnType<ReturnType<typeof ambitClient>['stream']>,
  watch: RunWatch,
): Promise<SentAnswer> {
  // After a gap the rest is shown from the answer, which has all of it: what was told is its beginning.
  let isWhole = true;
  for await (const event of stream) {
    switch (event.kind) {
      case 'started':
        watch({ kind: event.kind });
        break;
      case 'stdout':
      case 'stderr':
      case 'log':
        if (isWhole) watch({ kind: event.kind, text: event.text });
        break;
      case 'progress':
        watch({ kind: event.kind, done: event.done, total: event.total, message: event.message });
        break;
      case 'result':
        return event.answer;
      case 'record':
        throw new AmbitError('ANSWER_GONE', `the call has no answer any more: ${event.execution.detail}`);
      case 'gap':
        isWhole = false;
        break;
      case 'queued':
      case 'link':
      case 'call':
        break;
      default:
        event satisfies never;
    }
  }
  throw new AmbitError('ANSWER_GONE', 'the call has ended without an answer: see "ambit audit"');
}

/** What the client throws, as what it is here: the error that it was in the daemon, or why there is no answer. */
export function saidHere(url: string, error: unknown): unknown {
  if (error instanceof AmbitProblem) return refusal(url, error.problem);
  if (error instanceof UnsendableError) return new CliError('USAGE_INVALID', error.message, { cause: error });
  return error instanceof AmbitError ? unanswered(url, error) : error;
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
