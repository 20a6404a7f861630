import { inlineBytesMax, valuesMax } from './json-bounds.ts';
import { findFlaw } from './json-flaw.ts';
import { notFiniteAt } from './not-finite.ts';
import { type WrittenJson, writtenJson } from './write-json.ts';

/** More values than these, and reading them alone would hold everybody up. */
const bounds = { depthMax: 200, valuesMax };
/** Of those outside of inputs, which are built where requests are served. */
const builtValuesMax = 25_000;
/** The dearest there is, an object of its own shape, takes about as much; a number 8. */
const valueBytes = 200;

/** What was in a request's body, or why it is refused. */
export type ReadBody =
  | {
      value: unknown;
      /** About. */
      memoryBytes: number;
    }
  /** Goes on from "the body". */
  | { problem: string }
  /** Where, as a JSON pointer. */
  | { notFiniteAt: string };

export type ReadLargeBody = ReadBody | { value: unknown; memoryBytes: number; inputs: LiftedInput[] };

/** An `input` that comes as text. The value has `null` in its place. */
interface LiftedInput extends WrittenJson {
  /** Of which of the body's `calls`; absent: the body's own. */
  index?: number;
}

/**
 * Reads a JSON text (RFC 8259). Stricter than `JSON.parse`: bytes that are not UTF-8, an object with two values for one key,
 * a key `__proto__`, more than 200 levels and more than 250,000 values are refused with the place, and nothing of the text
 * is quoted, for what is said goes into the audit log.
 */
export function readBody(bytes: Uint8Array): ReadBody {
  const read = parsed(bytes);
  return 'problem' in read
    ? read
    : { value: read.value, memoryBytes: 2 * read.text.length + valueBytes * read.values };
}

/**
 * The same, of a body that is large. `input`s (a body's own, and those of its `calls`) that are large come as text; all
 * else may have 25,000 values.
 */
export function readLargeBody(bytes: Uint8Array): ReadLargeBody {
  const read = parsed(bytes);
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

function parsed(bytes: Uint8Array): { value: unknown; text: string; values: number } | { problem: string } {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { problem: 'is not UTF-8; JSON is always sent in UTF-8' };
  }
  let values = 0;
  const flaw = findFlaw(text, bounds, (counted) => (values = counted));
  if (flaw === undefined) return { value: JSON.parse(text), text, values };
  const before = text.slice(0, flaw.offset).split('\n');
  const place = `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
  return { problem: `is not JSON that can be read: ${flaw.problem} at ${place}` };
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
  const left = [value];
  let count = 0;
  for (; left.length > 0; count++) {
    const next = left.pop();
    if (typeof next === 'object' && next !== null) for (const inner of Object.values(next)) left.push(inner);
  }
  return count;
}
