import type { Slot } from '../layout.ts';
import type { LeftOutPart, Part, PartKind } from './composition.ts';

/** A text with its number of tokens. */
export interface CountedText {
  text: string;
  tokens: number;
}

/** A unit of a prompt: `text`, which can be cut, between `open` and `close`, which cannot. */
export interface Piece {
  kind: Exclude<PartKind, 'base'>;
  origin: string;
  because: string;
  open: CountedText;
  text: CountedText;
  close: CountedText;
}

/** Consecutive pieces within a common beginning and end. */
export interface Block {
  slot: Slot;
  /** The name of one of its pieces when it is left out. */
  what: LeftOutPart['what'];
  begin: CountedText;
  between: CountedText;
  end: CountedText;
  pieces: readonly Piece[];
}

/** A piece in the prompt, with as much of its text as fits. */
export interface IncludedPiece extends Piece {
  isCut: boolean;
}

/**
 * The tokens that a piece needs beside its text: its tags and, for the first piece, the block's.
 */
export function tokensAround({ begin, between, end }: Block, { open, close }: Piece, index: number): number {
  return open.tokens + close.tokens + (index === 0 ? begin.tokens + end.tokens : between.tokens);
}

/**
 * The pieces of a block as parts. The block's beginning, separators and end belong to the adjacent
 * parts.
 */
export function partsOf(block: Block, kept: readonly IncludedPiece[]): Omit<Part, 'order'>[] {
  return kept.map(({ kind, origin, because, open, text, close, isCut }, index) => {
    const before = index === 0 ? block.begin : block.between;
    const pieces = [before, open, text, close, ...(index === kept.length - 1 ? [block.end] : [])];
    const whole = pieces.map((each) => each.text).join('');
    const tokens = pieces.reduce((sum, each) => sum + each.tokens, 0);
    return { kind, origin, because, text: whole, tokens, characters: whole.length, isCut };
  });
}
