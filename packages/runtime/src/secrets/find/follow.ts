import { type Needle, needleMin } from './needles.ts';
import { spelling } from './spelling.ts';

/**
 * Continues a match after the first bytes of a needle. Reports each occurrence of the needle, and
 * of its beginning where the rest is cut off, as long as one begins within another. Returns where
 * it stopped, and how many bytes up to there may be the beginning of an occurrence. Time is linear
 * in the bytes, for any bytes and any needle.
 */
export type Follow = (
  bytes: Buffer,
  at: number,
  isEnd: boolean,
  found: (from: number, to: number) => void,
) => { next: number; matched: number };

export function follow({ bytes: wanted, beginningMin }: Needle): Follow {
  let links: Links | undefined;
  return (bytes, at, isEnd, found) => {
    links ??= linksOf(wanted);
    const { border, ended } = links;
    const reportBeginning = (matched: number, next: number): void => {
      if (matched < beginningMin || !isCut(matched, wanted.length, bytes[next])) return;
      let end = next;
      // Do not split a character.
      while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
      found(next - matched, end);
    };
    let matched = needleMin;
    let next = at + matched;
    do {
      if (matched === wanted.length) {
        found(next - matched, next);
        matched = border[matched] ?? 0;
        continue;
      }
      const byte = bytes[next];
      if (byte === undefined) {
        if (isEnd) reportBeginning(matched, next);
        break;
      }
      if (spelling[byte] === wanted[matched]) {
        reportBeginning(ended[matched] ?? 0, next);
        matched++;
        next++;
      } else {
        reportBeginning(matched, next);
        do matched = border[matched] ?? 0;
        while (matched >= needleMin && spelling[byte] !== wanted[matched]);
      }
    } while (matched >= needleMin);
    return { next, matched };
  };
}

/** A beginning of at least this length that is most of the needle always counts. */
const unlikelyMin = 16;

/** Whether a beginning was cut off: no letter or digit follows that would make it another word. */
function isCut(matched: number, whole: number, following: number | undefined): boolean {
  if (matched >= unlikelyMin && matched >= whole * 0.75) return true;
  return following === undefined || !/[A-Za-z0-9]/.test(String.fromCharCode(following));
}

/** Fallbacks by the number of bytes matched so far (Knuth, Morris and Pratt). */
interface Links {
  /** Length of the longest proper prefix that is also a suffix of the matched bytes. */
  border: Int32Array;
  /**
   * Length of the longest such prefix whose next byte differs: it ends here when the match
   * continues.
   */
  ended: Int32Array;
}

function linksOf(wanted: Buffer): Links {
  const border = new Int32Array(wanted.length + 1);
  const ended = new Int32Array(wanted.length + 1);
  for (let length = 2; length <= wanted.length; length++) {
    const byte = wanted[length - 1];
    let known = border[length - 1] ?? 0;
    while (known > 0 && wanted[known] !== byte) known = border[known] ?? 0;
    border[length] = wanted[known] === byte ? known + 1 : 0;
  }
  for (let length = 1; length < wanted.length; length++) {
    const known = border[length] ?? 0;
    ended[length] = wanted[known] === wanted[length] ? (ended[known] ?? 0) : known;
  }
  return { border, ended };
}
