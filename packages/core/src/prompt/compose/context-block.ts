import type { Selection } from '../../select/selection.ts';
import type { GatheredContext } from '../context.ts';
import { type ContextPiece, contextBreak, contextPieces } from '../render-context.ts';
import type { Block, CountedText } from './block.ts';

/** The gathered context, one piece per item, with the skills that require it. */
export function contextBlock(
  context: GatheredContext | undefined,
  selection: Selection,
  count: (text: string) => CountedText,
): Block {
  const pieces = context === undefined ? [] : contextPieces(context);
  return {
    slot: 'skill_context',
    what: 'context',
    begin: count(''),
    between: count(contextBreak),
    end: count(''),
    pieces: pieces.map((piece) => ({
      kind: 'context',
      origin: piece.origin,
      because: wanted(piece, selection),
      open: count(piece.open),
      text: count(piece.text),
      close: count(piece.close),
    })),
  };
}

function wanted({ type, origin }: ContextPiece, { context }: Selection): string {
  if (type === 'errors') return 'errors while gathering context';
  const found = context.find(
    ({ requirement }) =>
      requirement.type === type && (!('path' in requirement) || requirement.path === origin),
  );
  return found === undefined ? 'gathered by the caller' : `required by ${found.skills.join(', ')}`;
}
