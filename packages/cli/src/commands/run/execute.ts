import { type AmbitClient, AmbitError, type ExecuteAnswer, type ExecuteOptions } from '@ambit/client';
import type { RunObserver } from '@ambit/core/execute';
import { allBytesOf } from '@ambit/core/workspace';
import { type AnsweredCall, executeResult } from '@ambit/server/wire';
import type { Call } from './call-of.ts';

/**
 * Runs a call in a daemon. `onEvent` receives events as they happen. If a daemon produces them faster than they are read, the rest
 * of the output events is dropped. Rejects with the errors of the client.
 */
export async function execute(
  client: Pick<AmbitClient, 'execute' | 'stream'>,
  { skillId, input, narrowing, receipt, workspace, workspaceOptional, fileContents }: Call,
  signal: AbortSignal,
  onEvent?: RunObserver,
): Promise<AnsweredCall> {
  const { input: given, files, stdin, ...rest } = input;
  const general = {
    ...rest,
    ...narrowing,
    ...sentStdin(stdin),
    files: await sentFiles(files),
    receipt,
    signal,
  };
  // Without a workspace the answer always includes the contents.
  const options =
    workspace === undefined ? general : { ...general, workspace, workspaceOptional, fileContents };
  const answer =
    onEvent === undefined
      ? await client.execute(skillId, given, options)
      : await answerOf(client.stream(skillId, given, options), onEvent);
  return executeResult(answer);
}

function sentStdin(stdin: Call['input']['stdin']): Pick<ExecuteOptions, 'stdin' | 'stdinBase64'> {
  if (stdin instanceof Uint8Array) return { stdinBase64: Buffer.from(stdin).toString('base64') };
  return stdin === undefined ? {} : { stdin };
}

async function sentFiles(files: Call['input']['files'] = []): Promise<ExecuteOptions['files']> {
  const sent = files.map(async (entry) => {
    if (!('content' in entry)) return entry;
    const { content, ...file } = entry;
    return { ...file, base64: Buffer.from(await allBytesOf(content)).toString('base64') };
  });
  return sent.length === 0 ? undefined : Promise.all(sent);
}

/** Reads a stream to its answer and passes on the events before it. */
async function answerOf(
  stream: ReturnType<AmbitClient['stream']>,
  onEvent: RunObserver,
): Promise<ExecuteAnswer> {
  // After a gap no more output is passed on: the answer has all of it.
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
        throw new AmbitError(
          'ANSWER_GONE',
          `the daemon no longer has the call's answer, for example because it was restarted. To see the record of the call, run: ambit audit show ${event.execution.executionId}`,
        );
      case 'gap':
        isWhole = false;
        break;
      case 'queued':
      case 'link':
      case 'call':
      case 'unstored':
        break;
      default:
        event satisfies never;
    }
  }
  throw new AmbitError(
    'ANSWER_GONE',
    'the call ended without an answer. To find its record, run: ambit audit',
  );
}
