import { type EscapeKind, escapeKinds } from './escapes.ts';
import { editing, plainReading, type Reading } from './reading.ts';

/** The text with escapes decoded. Stops before an unfinished escape, unless the text ends there. */
export function decode(text: Buffer, isEnd: boolean, kinds: readonly EscapeKind[] = escapeKinds): Reading {
  const first = Math.min(...kinds.map(({ begin }) => placeOf(text, begin)));
  if (first >= text.length) return plainReading(text);
  const beginning = new Array<EscapeKind | undefined>(256).fill(undefined);
  for (const kind of kinds) beginning[kind.begin] = kind;
  const edited = editing(text);
  for (let at = first; at < text.length; at++) {
    const found = beginning[text[at] ?? 0]?.read(text, at);
    if (found === undefined) continue;
    if (found === 'unfinished') {
      if (isEnd) continue;
      edited.copy(at);
      return edited.done();
    }
    edited.copy(at);
    edited.replace(found.end, found.bytes);
    at = found.end - 1;
  }
  edited.copy(text.length);
  return edited.done();
}

function placeOf(text: Buffer, byte: number): number {
  const at = text.indexOf(byte);
  return at < 0 ? text.length : at;
}
