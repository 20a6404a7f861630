import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Daemon } from '../../support/daemon-process.ts';

/** A server-sent event with JSON data; `id` is 0 if the event has none. */
export interface StreamedEvent {
  id: number;
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: received JSON, which the tests compare completely
  data: any;
}

/** The complete events in a text. */
export function eventsIn(text: string): StreamedEvent[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .filter((block) => !block.startsWith(':'))
    .map((block) => {
      const [, id = '0', name = '', data = ''] =
        /^(?:id: (\d+)\n)?event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      return { id: Number(id), name, data: JSON.parse(data) };
    });
}

/** A call whose answer has started; its body is unread. */
export async function openStream(
  { url, key }: Daemon,
  path: string,
  body: object,
  accept = 'text/event-stream',
): Promise<IncomingMessage> {
  const sent = request(`${url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      accept,
      'content-type': 'application/json',
    },
  });
  sent.end(JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  return response;
}
