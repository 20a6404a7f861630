import type { Fits } from './document-schemas.ts';
import type { Plan } from './plan-request.ts';
import type { Answered } from './send-plan.ts';

const problem = 'application/problem+json';

/** What is wrong with the answer to a request, by the document; `null`: nothing. */
export function judgeAnswer({ operation, json }: Plan, answer: Answered, fits: Fits): string | null {
  const { status, type, text, isWhole } = answer;
  if (status === 500) return `500: ${text.slice(0, 500)}`;
  const declared = operation.responses[status];
  if (declared === undefined) return `${status} is not declared: ${text.slice(0, 500)}`;
  const content = declared.content ?? {};
  if (operation.method === 'head') return text === '' ? null : 'a body where none can be';
  if (type === '') return text === '' ? null : 'a body without a type';
  const schema = content[type]?.schema;
  if (schema === undefined) return `${status} is not declared as ${type}: ${text.slice(0, 500)}`;
  if (type === problem || type === 'application/json') {
    const flaw = isWhole ? fits(schema, JSON.parse(text)) : null;
    if (flaw !== null) return `${status} is not of its schema: ${flaw}`;
  } else {
    const { contentSchema } = schema as { contentSchema?: { items: unknown } };
    if (contentSchema !== undefined)
      for (const item of itemsOf(type, text)) {
        const flaw = fits(contentSchema.items, item);
        if (flaw !== null) return `an item of the stream is not of its schema: ${flaw}`;
      }
  }
  if (type === problem && (JSON.parse(text) as { detail: string }).detail.length < 10)
    return `a problem without a detail: ${text}`;
  return status < 300 && json !== undefined ? forbidden(operation, json.value, fits) : null;
}

/** What the document forbids is refused. */
function forbidden({ requestBody }: Plan['operation'], value: unknown, fits: Fits): string | null {
  const schema = requestBody?.content['application/json']?.schema;
  const flaw = schema === undefined ? null : fits(schema, value);
  return flaw === null ? null : `it took a body that the document forbids: ${flaw}`;
}

/** What is in a stream, but for its last event or line, which may be cut. */
function itemsOf(type: string, text: string): unknown[] {
  if (type === 'text/event-stream')
    return text
      .split(/\r?\n\r?\n/)
      .slice(0, -1)
      .flatMap(eventOf);
  const lines = text.split('\n').slice(0, -1);
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

/** An event by its name, and its data as JSON; none for a comment, or one without data. */
function eventOf(block: string): { event: string; data: unknown }[] {
  const field = (name: string): string | undefined => new RegExp(`^${name}: (.+)$`, 'm').exec(block)?.[1];
  const data = field('data');
  return data === undefined ? [] : [{ event: field('event') ?? 'message', data: JSON.parse(data) }];
}
