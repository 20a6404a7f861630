import type { Outcome } from '@ambit/core';
import { outputBeginning } from './output-beginning.ts';

/** Deeper than any answer has a reason to be, and shallower than what JSON's own functions fail at. */
const depthMax = 512;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** What a skill with protocol json has given, as an outcome: its output, or why it is none. `log` goes with the latter. */
export function jsonOutcome(bytes: Uint8Array, log: string): Outcome {
  const invalid = (detail: string): Outcome => ({ status: 'output-invalid', detail, stderr: log });
  if (bytes.length === 0) return invalid('the skill gave no output');
  if (isDeeperThan(bytes, depthMax))
    return invalid(`the skill's output is nested more than ${depthMax} deep`);
  try {
    return {
      status: 'succeeded',
      output: JSON.parse(strictUtf8.decode(bytes)),
    };
  } catch (error) {
    return invalid(
      `the skill's output is not ${error instanceof SyntaxError ? `JSON${outputBeginning(bytes)}` : 'UTF-8'}`,
    );
  }
}

/** Counts brackets outside of strings; in UTF-8 none of these bytes is ever a part of another character. */
function isDeeperThan(bytes: Uint8Array, most: number): boolean {
  const [quote, backslash, openBracket, openBrace, closeBracket, closeBrace] = [
    0x22, 0x5c, 0x5b, 0x7b, 0x5d, 0x7d,
  ];
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === backslash) at++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === openBracket || byte === openBrace) {
      if (++depth > most) return true;
    } else if (byte === closeBracket || byte === closeBrace) depth--;
  }
  return false;
}
