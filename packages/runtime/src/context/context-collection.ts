import type { GatheredContext } from '@ambit/core/prompt';
import type { ContextRequirement } from '@ambit/core/skill';
import { type FittedPiece, fitPiece, type Piece } from './piece.ts';

/** Context being gathered. */
export interface ContextCollection {
  add(requirement: ContextRequirement, piece: Piece, source: string): void;
  fail(source: string, message: string): void;
  gathered(): GatheredContext;
}

type GatheredFile = { path: string } & FittedPiece;

/** An empty collection for up to `totalBytes`. `item` is used for requirements of item metadata. */
export function contextCollection(item: unknown, totalBytes: number): ContextCollection {
  let bytesLeft = totalBytes;
  let gitStatus: string | null = null;
  let gatheredItem: unknown = null;
  const files: GatheredFile[] = [];
  const artifacts: GatheredFile[] = [];
  const errors: { source: string; message: string }[] = [];

  const fitted = (piece: Piece): FittedPiece => {
    const fit = fitPiece(piece, bytesLeft);
    bytesLeft -= Buffer.byteLength(fit.text);
    return fit;
  };
  const fail = (source: string, message: string): void => {
    errors.push({ source, message });
  };

  return {
    fail,
    add(requirement, piece, source) {
      switch (requirement.type) {
        case 'file':
          files.push({ path: requirement.path, ...fitted(piece) });
          break;
        case 'phase_artifact':
          artifacts.push({ path: requirement.path, ...fitted(piece) });
          break;
        case 'git_status': {
          const { text, note } = fitted(piece);
          gitStatus = text;
          if (note !== undefined) fail(source, note);
          break;
        }
        case 'item_metadata':
          // Truncated JSON is useless.
          if (piece.kind === 'text' && piece.totalBytes > bytesLeft) {
            fail(source, `omitted: ${piece.totalBytes} bytes, and ${bytesLeft} are left for the context`);
          } else {
            fitted(piece);
            gatheredItem = item;
          }
          break;
        default:
          requirement satisfies never;
      }
    },
    gathered: () => ({ files, gitStatus, item: gatheredItem, artifacts, errors }),
  };
}
