import type { IncomingMessage } from 'node:http';
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  type JSONRPCMessage,
  parseJSONRPCMessage,
} from '@modelcontextprotocol/server';
import { ForwardError } from './forward-error.ts';

/**
 * The messages in the daemon's answer to `asked`, as they come; nothing for one without a body. Throws a `ForwardError`
 * for a refusal of the transport, and for a body that breaks off.
 */
export async function* messagesIn(
  answer: IncomingMessage,
  asked: JSONRPCMessage | undefined,
): AsyncGenerator<JSONRPCMessage> {
  const { statusCode = 0, headers } = answer;
  try {
    if (headers['content-type']?.startsWith('text/event-stream')) yield* events(answer);
    else yield* whole(statusCode, await textOf(answer), asked);
  } catch (error) {
    throw error instanceof ForwardError ? error : ForwardError.brokenOff(error);
  }
}

/** Server-sent events, of which only the data counts. */
async function* events(answer: IncomingMessage): AsyncGenerator<JSONRPCMessage> {
  answer.setEncoding('utf8');
  let text = '';
  for await (const chunk of answer) {
    const parts = (text + chunk).split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const data = part.split('\n').flatMap((line) => /^data: ?(.*)$/.exec(line)?.[1] ?? []);
      if (data.length > 0) yield parseJSONRPCMessage(JSON.parse(data.join('\n')));
    }
  }
}

function* whole(status: number, text: string, asked: JSONRPCMessage | undefined): Generator<JSONRPCMessage> {
  if (status === 202 || text === '') return;
  const body = JSON.parse(text) as Record<string, unknown>;
  const id = asked !== undefined && isJSONRPCRequest(asked) ? asked.id : undefined;
  if (status < 400) return yield parseJSONRPCMessage(body);
  // A transport that could not read a request does not know its id.
  const own = { ...body, id };
  if (!isJSONRPCErrorResponse(own)) throw ForwardError.refused(status, body);
  yield own;
}

async function textOf(answer: IncomingMessage): Promise<string> {
  answer.setEncoding('utf8');
  let text = '';
  for await (const chunk of answer) text += chunk;
  return text;
}
