import { hiddenRuns } from '@ambit/core/prompt';

/** A piece of a text. `isHidden`: it names characters that cannot be seen, such as `U+202E`. */
export interface VisiblePiece {
  text: string;
  isHidden: boolean;
}

/**
 * A text with its hidden characters named instead of obeyed: control characters, terminal escapes,
 * bidirectional and zero-width characters, tags.
 */
export function visiblePieces(text: string): VisiblePiece[] {
  const pieces: VisiblePiece[] = [];
  let end = 0;
  for (const { index, text: run } of hiddenRuns(text)) {
    if (index > end) pieces.push({ text: text.slice(end, index), isHidden: false });
    pieces.push({ text: [...run].map(nameOf).join(' '), isHidden: true });
    end = index + run.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isHidden: false });
  return pieces;
}

/** The same as one text, for places without markup: options, the title of the window. */
export function visibleText(text: string): string {
  return visiblePieces(text)
    .map((piece) => piece.text)
    .join('');
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
