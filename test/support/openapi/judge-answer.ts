import type { Fits } from './document-schemas.ts';
import type { Plan } from './plan-request.ts';
import type { Answered } from './send-plan.ts';

const problem = 'application/problem+json';

/** Describes how an answer violates the document; `null`: it does not. */
export function judgeAnswer({ operation, json }: Plan, answer: Answered, fits: Fits): string | null {
  const { status, type, text, isWhole } = answer;
  if (status === 500) return `500: ${text.slice(0, 500)}`;
  const declared = operation.responses[status];
  if (declared === undefined) return `${status} is not declared: ${text.slice(0, 500)}`;
  const content = declared.content ?? {};
  if (operation.method === 'head') return text === '' ? null : 'a body that is not allowed';
  if (type === '') return text === '' ? null : 'a body without a type';
  const schema = content[type]?.schema;
  if (schema === undefined) return `${status} is not declared as ${type}: ${text.slice(0, 500)}`;
  if (type === problem || type === 'application/json') {
    const flaw = isWhole ? fits(schema, JSON.parse(text)) : null;
    if (flaw !== null) return `${status} does not match its schema: ${flaw}`;
  } else {
    const { contentSchema } = schema as { contentSchema?: { items: unknown } };
    if (contentSchema !== undefined)
      for (const item of itemsOf(type, text)) {
        const flaw = fits(contentSchema.items, item);
        if (flaw !== null) return `an item of the stream does not match its schema: ${flaw}`;
      }
  }
  if (type === problem && (JSON.parse(text) as { detail: string }).detail.length < 10)
    return `a problem without a detail: ${text}`;
  return status < 300 && json !== undefined ? forbidden(operation, json.value, fits) : null;
}

/** Finds an accepted body that the document forbids. */
function forbidden({ requestBody }: Plan['operation'], value: unknown, fits: Fits): string | null {
  const schema = requestBody?.content['application/json']?.schema;
  const flaw = schema === undefined ? null : fits(schema, value);
  return flaw === null ? null : `accepted a body that the document forbids: ${flaw}`;
}

/** The items of a stream, without the last one, which may be incomplete. */
function itemsOf(type: string, text: string): unknown[] {
  if (type === 'text/event-stream')
    return text
      .split(/\r?\n\r?\n/)
      .slice(0, -1)
      .flatMap(eventOf);
  const lines = text.split('\n').slice(0, -1);
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

/** An event's name and its data as JSON; nothing for a comment or an event without data. */
function eventOf(block: string): { event: string; data: unknown }[] {
  const field = (name: string): string | undefined => new RegExp(`^${name}: (.+)$`, 'm').exec(block)?.[1];
  const data = field('data');
  return data === undefined ? [] : [{ event: field('event') ?? 'message', data: JSON.parse(data) }];
}
