import type { Selection } from '../../select/selection.ts';
import type { GatheredContext } from '../context.ts';
import { type ContextPiece, contextBreak, contextPieces } from '../render-context.ts';
import type { Block, Counted } from './block.ts';

/** What was gathered, a piece for each thing, with the skills that want it. */
export function contextBlock(
  context: GatheredContext | undefined,
  selection: Selection,
  count: (text: string) => Counted,
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
  if (type === 'errors') return 'gathering had errors';
  const found = context.find(
    ({ requirement }) =>
      requirement.type === type && (!('path' in requirement) || requirement.path === origin),
  );
  return found === undefined ? 'the caller gathered it' : `wanted by ${found.skills.join(', ')}`;
}
