import { valuesMax } from './json-bounds.ts';
import { jsonExcess } from './json-excess.ts';
import { notFiniteAt } from './not-finite.ts';

/** Deeper than any useful output, and below the limit of the built-in JSON functions. */
const bounds = { depthMax: 512, valuesMax };

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });
const markedUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The flaw of an output, to follow `the skill's output`, and its bytes. */
export interface NotJson {
  problem: string;
  bytes: Uint8Array;
}

/** The value of a skill's output, or what is wrong with it. */
export function readOutput(bytes: Uint8Array): { value: unknown } | NotJson {
  const excess = jsonExcess(bytes, bounds);
  if (excess !== undefined) return { problem: excess, bytes };
  let value: unknown;
  try {
    value = JSON.parse(strictUtf8.decode(bytes));
  } catch (error) {
    const problem = error instanceof SyntaxError ? `is not JSON${outputBeginning(bytes)}` : 'is not UTF-8';
    return { problem, bytes };
  }
  const at = notFiniteAt(value);
  return at === undefined
    ? { value }
    : { problem: `has a number that is not finite, at ${at || 'the top level'}`, bytes };
}

/** Like `readOutput`, for plain text. Preserves a byte order mark. */
export function readText(bytes: Uint8Array): { value: string } | { problem: string } {
  try {
    return { value: markedUtf8.decode(bytes) };
  } catch {
    return { problem: 'is not UTF-8' };
  }
}

/** Enough to recognize a log line, a warning or an HTML page. */
const beginningBytes = 80;

/** The first bytes of an invalid output, for a message: `; it begins with "Hello"`. */
function outputBeginning(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.subarray(0, beginningBytes))
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
  return `; it begins with ${JSON.stringify(text)}${bytes.length > beginningBytes ? '…' : ''}`;
}

/** The value of a JSON string, in UTF-8. */
export function stringBytes(json: Uint8Array): Uint8Array {
  return new TextEncoder().encode(JSON.parse(new TextDecoder().decode(json)));
}
