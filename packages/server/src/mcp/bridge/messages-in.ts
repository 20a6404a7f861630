import type { IncomingMessage } from 'node:http';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { ForwardError } from './forward-error.ts';
import { isErrorResponse, isMessage, isRequest, readMessage } from './message.ts';

/**
 * The messages in the daemon's response to `request`, as they arrive; none for an empty body. Throws
 * a `ForwardError` if the HTTP transport refused the request, or if the body is incomplete.
 */
export async function* messagesIn(
  answer: IncomingMessage,
  request: JSONRPCMessage | undefined,
): AsyncGenerator<JSONRPCMessage> {
  const { statusCode = 0, headers } = answer;
  try {
    if (headers['content-type']?.startsWith('text/event-stream')) yield* events(answer);
    else yield* whole(statusCode, await textOf(answer), request);
  } catch (error) {
    throw error instanceof ForwardError ? error : ForwardError.brokenOff(error);
  }
}

/** Parses server-sent events; only their data matters. */
async function* events(answer: IncomingMessage): AsyncGenerator<JSONRPCMessage> {
  answer.setEncoding('utf8');
  let text = '';
  for await (const chunk of answer) {
    const parts = (text + chunk).split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const data = part.split('\n').flatMap((line) => /^data: ?(.*)$/.exec(line)?.[1] ?? []);
      if (data.length > 0) yield readMessage(data.join('\n'));
    }
  }
}

function* whole(
  status: number,
  text: string,
  request: JSONRPCMessage | undefined,
): Generator<JSONRPCMessage> {
  if (status === 202 || text === '') return;
  if (status < 400) return yield readMessage(text);
  const body = JSON.parse(text) as Record<string, unknown>;
  // A refusal of an unreadable request has no id.
  const own = { ...body, id: request !== undefined && isRequest(request) ? request.id : undefined };
  if (!isMessage(own) || !isErrorResponse(own)) throw ForwardError.refused(status, body);
  yield own;
}

async function textOf(answer: IncomingMessage): Promise<string> {
  answer.setEncoding('utf8');
  let text = '';
  for await (const chunk of answer) text += chunk;
  return text;
}
