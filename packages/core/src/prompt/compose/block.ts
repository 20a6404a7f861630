import type { Slot } from '../layout.ts';
import type { LeftOutPart, Part, PartKind } from './composition.ts';

/** Text with what it takes. */
export interface Counted {
  text: string;
  tokens: number;
}

/** Something that goes into a prompt: `text`, which can be cut, between `open` and `close`, which cannot. */
export interface Piece {
  kind: Exclude<PartKind, 'base'>;
  origin: string;
  because: string;
  open: Counted;
  text: Counted;
  close: Counted;
}

/** Pieces that stand together, between a beginning and an end that belong to no single one of them. */
export interface Block {
  slot: Slot;
  /** What one of its pieces is called when it is not there. */
  what: LeftOutPart['what'];
  begin: Counted;
  between: Counted;
  end: Counted;
  pieces: readonly Piece[];
}

/** A piece that is in the prompt, with as much of its text as fits. */
export interface IncludedPiece extends Piece {
  isCut: boolean;
}

/** What a block takes for a piece beside its text: its own tags and, for the first, the block's. */
export function tokensAround({ begin, between, end }: Block, { open, close }: Piece, index: number): number {
  return open.tokens + close.tokens + (index === 0 ? begin.tokens + end.tokens : between.tokens);
}

/** The pieces of a block as parts: the block's own beginning, breaks and end are in those that they touch. */
export function partsOf(block: Block, kept: readonly IncludedPiece[]): Omit<Part, 'order'>[] {
  return kept.map(({ kind, origin, because, open, text, close, isCut }, index) => {
    const before = index === 0 ? block.begin : block.between;
    const pieces = [before, open, text, close, ...(index === kept.length - 1 ? [block.end] : [])];
    const whole = pieces.map((each) => each.text).join('');
    const tokens = pieces.reduce((sum, each) => sum + each.tokens, 0);
    return { kind, origin, because, text: whole, tokens, characters: whole.length, isCut };
  });
}
