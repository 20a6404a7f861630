import { type FitOptions, fitCounted } from '../fit-sections.ts';
import { type Block, type IncludedPiece, tokensAround } from './block.ts';
import type { LeftOutPart } from './composition.ts';

/**
 * Fits blocks into the budget that the system prompt leaves, piece by piece. Drops blocks without a
 * piece.
 */
export function fitBlocks(
  blocks: readonly Block[],
  budget: number,
  baseTokens: number,
  options: FitOptions,
): { blocks: { block: Block; kept: IncludedPiece[] }[]; leftOut: LeftOutPart[] } {
  const sections = blocks.flatMap((block) =>
    block.pieces.map((piece, index) => ({
      id: piece.origin,
      ...piece.text,
      tokensAround: tokensAround(block, piece, index),
    })),
  );
  const { included, skipped, tokensLeft } = fitCounted(sections, Math.max(0, budget - baseTokens), options);
  const whats = blocks.flatMap(({ what, pieces }) => pieces.map(() => what));
  let taken = 0;
  const filled = blocks.map((block) => {
    const texts = included.slice(taken, taken + block.pieces.length);
    taken += texts.length;
    const pieces = texts.flatMap(({ text, tokens, isCut }, index): IncludedPiece[] => {
      const piece = block.pieces[index];
      if (piece === undefined) return [];
      if (!isCut) return [{ ...piece, isCut }];
      const own = tokens - tokensAround(block, piece, index);
      const because = `${piece.because}; cut at a line to fit the budget`;
      return [{ ...piece, because, text: { text, tokens: own }, isCut }];
    });
    return { block, kept: pieces };
  });
  return {
    blocks: filled.filter((each) => each.kept.length > 0),
    leftOut: skipped.map(({ id, tokens }, index) => ({
      id,
      what: whats[included.length + index] ?? 'context',
      because:
        index === 0
          ? `${id} needs ${tokens} tokens, and the budget of ${budget} has ${tokensLeft} left`
          : `${id} follows a part that did not fit into the token budget`,
    })),
  };
}
