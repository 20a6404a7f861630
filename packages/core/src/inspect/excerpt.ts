import { modelLine } from '../model-text/model-text.ts';
import { markHidden } from '../model-text/visible-text.ts';

const charactersMax = 120;

/**
 * The place of a match on one line: without secrets, with U+FFFD for hidden characters, and without
 * markup that a model interprets.
 */
export function excerptOf(
  text: string,
  index: number,
  length: number,
  redact: (text: string) => string,
): string {
  // A line can have a megabyte, so only its last characters are searched.
  const near = Math.max(0, index - 400);
  const lineStart = near + text.slice(near, index).lastIndexOf('\n') + 1;
  const from = Math.max(lineStart, index - 40, 0);
  // A word that is cut could be the end of a secret, which nothing would recognize.
  const before = from > lineStart ? text.slice(from, index).replace(/^\S+/, '') : text.slice(from, index);
  const shown = Math.max(Math.min(length, 200), 60);
  const whole = redact(before + text.slice(index, index + shown + 200));
  return safeText(
    whole
      .slice(0, before.length + shown)
      .split('\n', length < 60 ? 1 : undefined)
      .join(' '),
  );
}

/** Untrusted text for a sentence or an excerpt, on one line. The default is 120 characters. */
export function safeText(text: string, max = charactersMax): string {
  return modelLine(markHidden(text), max);
}
