import { type Bound, tooLarge } from '../request/body-of.ts';
import { lines } from './lines.ts';

/** One server-sent event. */
export interface StreamEvent {
  /** `undefined` before the first event with an id. */
  id: string | undefined;
  name: string;
  data: string;
}

/**
 * Parses the events of a body (HTML, section 9.2.6). Drops an event that is incomplete when the
 * body ends. Calls `heard` for every line, including comments. Throws `ANSWER_TOO_LARGE` for an
 * event above the limit.
 */
export async function* eventsIn(
  body: ReadableStream<Uint8Array>,
  bound: Bound,
  heard: () => void = () => undefined,
): AsyncGenerator<StreamEvent> {
  let id: string | undefined;
  let [name, data, length]: [string, string[], number] = ['message', [], 0];
  for await (const line of lines(body, bound)) {
    heard();
    if (line === '') {
      if (data.length > 0) yield { id, name, data: data.join('\n') };
      [name, data, length] = ['message', [], 0];
      continue;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'id') id = value;
    else if (field === 'event') name = value;
    else if (field === 'data') {
      data.push(value);
      // Line breaks count too, so that empty lines are also limited.
      length += value.length + 1;
      if (length > bound.bytesMax) throw tooLarge(bound);
    }
  }
}
