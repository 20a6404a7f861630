import { hash } from 'node:crypto';
import type { LinkHash } from '@ambit/core/internal';

/** `LinkHash` with a buffer of its own, so that nothing is allocated for each event. */
export function linkHash(): LinkHash {
  let scratch = Buffer.allocUnsafe(64 * 1024);
  return (previous, text) => {
    const bytesMax = 32 + 3 * text.length;
    if (bytesMax > scratch.length) scratch = Buffer.allocUnsafe(2 * bytesMax);
    scratch.write(previous, 0, 'hex');
    // As hex: a digest that is a buffer costs more than the digest.
    return hash('sha256', scratch.subarray(0, 32 + scratch.write(text, 32, 'utf8')), 'hex');
  };
}
