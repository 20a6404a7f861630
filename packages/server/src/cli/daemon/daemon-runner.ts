import {
  type AmbitClientOptions,
  AmbitError,
  ambitClient,
  type ExecuteOptions,
  type ExecuteAnswer as SentAnswer,
} from '@ambit/client';
import type { RunObserver } from '@ambit/core/internal';
import { type ExecuteAnswer, executeResult } from '../../wire/answer/execute-answer.ts';
import type { Call, Runner } from '../actions/actions.ts';
import { localError } from './local-error.ts';

/** Runs calls in a daemon. Refusals come back as the errors that they were there. */
export function daemonRunner(daemon: AmbitClientOptions): Runner {
  const client = ambitClient(daemon);
  return {
    async execute({ skillId, input, narrowing, receipt, workspace, fileContents }, signal, onEvent) {
      const { input: given, files, ...rest } = input;
      const options = {
        ...{ ...rest, ...narrowing, files: sentFiles(files), receipt, signal },
        // A call without a workspace has the contents anyway.
        ...(workspace === undefined ? {} : { workspace, fileContents }),
      };
      try {
        const answer =
          onEvent === undefined
            ? await client.execute(skillId, given, options)
            : await watched(client.stream(skillId, given, options), onEvent);
        // What the client knows of it was made from the same schema.
        return executeResult(answer as ExecuteAnswer);
      } catch (error) {
        throw localError(daemon.url, error);
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
  onEvent: RunObserver,
): Promise<SentAnswer> {
  // After a gap the rest is shown from the answer, which has all of it: what was told is its beginning.
  let isWhole = true;
  for await (const event of stream) {
    switch (event.kind) {
      case 'started':
        onEvent({ kind: event.kind });
        break;
      case 'stdout':
      case 'stderr':
      case 'log':
        if (isWhole) onEvent({ kind: event.kind, text: event.text });
        break;
      case 'progress':
        onEvent({ kind: event.kind, done: event.done, total: event.total, message: event.message });
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
