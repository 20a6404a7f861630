import type { Progress } from '@ambit/core/execute';

/** The start of a progress line. */
export const progressMark = '::progress ';

/** Longer lines are not progress. */
export const progressLineMax = 1000;

const messageCharactersMax = 200;

/**
 * Reads a line such as `::progress 40/100 words`, `::progress 7` or `::progress 55% unpacking`.
 * `undefined` for any other line, which is ordinary text. A message is cut after 200 characters.
 */
export function readProgress(line: string): Progress | undefined {
  if (line.length > progressLineMax) return undefined;
  const parts =
    /^::progress (\d{1,15}(?:\.\d{1,15})?)(?:\/(\d{1,15}(?:\.\d{1,15})?)|(%))?(?: (.*?))?\r?$/u.exec(line);
  if (parts === null) return undefined;
  const [, done, total, percent, message = ''] = parts;
  const whole = percent === undefined ? total : '100';
  return {
    kind: 'progress',
    done: Number(done),
    total: whole === undefined ? undefined : Number(whole),
    message: message === '' ? undefined : [...message].slice(0, messageCharactersMax).join(''),
  };
}
