import { inlineBytesMax, valuesMax } from './json-bounds.ts';
import { findFlaw, flawText } from './json-flaw.ts';
import { notFiniteAt } from './not-finite.ts';
import { type WrittenJson, writtenJson } from './write-json.ts';

/** Reading more values than this would block the thread for too long. */
const bounds = { depthMax: 200, valuesMax };
/** Outside inputs; these values are built in the main thread. */
const builtValuesMax = 25_000;
/** The approximate size of the most expensive value, an object with its own shape; a number takes 8. */
const valueBytes = 200;

/** The content of a request's body, or why it is refused. */
export type ReadBody =
  | {
      value: unknown;
      /** An estimate. */
      memoryBytes: number;
    }
  /** The problem follows "the body". */
  | { problem: string }
  /** A JSON pointer. */
  | { notFiniteAt: string };

export type ReadLargeBody = ReadBody | { value: unknown; memoryBytes: number; inputs: LiftedInput[] };

/** An `input` returned as text; the value has `null` in its place. */
interface LiftedInput extends WrittenJson {
  /** The index in the body's `calls`; absent: the body's own input. */
  index?: number;
}

/**
 * Reads a JSON text (RFC 8259) more strictly than `JSON.parse`. It refuses bytes that are not
 * UTF-8, duplicate keys, the key `__proto__`, more than 200 levels and more than 250,000 values.
 * The problem names the position and never quotes the text, because it is recorded in the audit
 * log.
 */
export function readBody(bytes: Uint8Array): ReadBody {
  const read = parse(bytes);
  return 'problem' in read
    ? read
    : { value: read.value, memoryBytes: 2 * read.text.length + valueBytes * read.values };
}

/**
 * Like `readBody`, for a large body. Large `input`s (of the body and of its `calls`) are returned
 * as text. The rest may have 25,000 values.
 */
export function readLargeBody(bytes: Uint8Array): ReadLargeBody {
  const read = parse(bytes);
  if ('problem' in read) return read;
  const inputs: LiftedInput[] = [];
  let { values } = read;
  for (const { holder, place, ...index } of inputHolders(read.value)) {
    const written = writtenJson(JSON.stringify(holder.input));
    if (written.bytes.length <= inlineBytesMax) continue;
    const at = notFiniteAt(holder.input);
    if (at !== undefined) return { notFiniteAt: `${place}/input${at}` };
    values -= countValues(holder.input) - 1;
    holder.input = null;
    inputs.push({ ...index, ...written });
  }
  if (values > builtValuesMax)
    return { problem: `is too large: it has more than ${builtValuesMax} values outside of "input"` };
  return { value: read.value, memoryBytes: 2 * read.text.length + valueBytes * values, inputs };
}

function parse(bytes: Uint8Array): { value: unknown; text: string; values: number } | { problem: string } {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { problem: 'is not UTF-8, which JSON requires' };
  }
  let values = 0;
  const flaw = findFlaw(text, bounds, (counted) => (values = counted));
  if (flaw === undefined) return { value: JSON.parse(text), text, values };
  return { problem: `is not valid JSON: ${flawText(text, flaw)}` };
}

interface Holder {
  holder: { input: unknown };
  place: string;
  index?: number;
}

function inputHolders(body: unknown): Holder[] {
  const calls = isObject(body) && Array.isArray(body['calls']) ? body['calls'] : [];
  return [
    ...(holdsInput(body) ? [{ holder: body, place: '' }] : []),
    ...calls.flatMap((call, index) =>
      holdsInput(call) ? [{ holder: call, place: `/calls/${index}`, index }] : [],
    ),
  ];
}

function holdsInput(value: unknown): value is { input: unknown } {
  return isObject(value) && 'input' in value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function countValues(value: unknown): number {
  const remaining = [value];
  let count = 0;
  for (; remaining.length > 0; count++) {
    const next = remaining.pop();
    if (typeof next === 'object' && next !== null)
      for (const inner of Object.values(next)) remaining.push(inner);
  }
  return count;
}
