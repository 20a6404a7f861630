import { lines } from './lines.ts';

/** One server-sent event. */
export interface StreamEvent {
  /** `undefined` until one has come with an id. */
  id: string | undefined;
  name: string;
  data: string;
}

/**
 * The events of a body (HTML, section 9.2.6). One that is not whole when the body ends is none. `heard` is called for every
 * line, comments too.
 */
export async function* eventsIn(
  body: ReadableStream<Uint8Array>,
  heard: () => void = () => undefined,
): AsyncGenerator<StreamEvent> {
  let id: string | undefined;
  let [name, data]: [string, string[]] = ['message', []];
  for await (const line of lines(body)) {
    heard();
    if (line === '') {
      if (data.length > 0) yield { id, name, data: data.join('\n') };
      [name, data] = ['message', []];
      continue;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'id') id = value;
    else if (field === 'event') name = value;
    else if (field === 'data') data.push(value);
  }
}
