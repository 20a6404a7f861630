import { looksLike } from '../model-text/look-alikes.ts';
import { partsOfId } from '../skill/id-parts.ts';
import { safeText } from './excerpt.ts';
import type { FoundPlace } from './finding.ts';

/** A name that people can mistake for another skill's. Equal names in two namespaces are allowed. */
export function similarNameFindings(id: string, otherIds: readonly string[]): FoundPlace[] {
  const { name } = partsOfId(id);
  const similar = otherIds.filter((other) => {
    const known = partsOfId(other).name;
    return known !== name && isSimilar(name, known);
  });
  return similar.slice(0, 3).map((other) => ({
    rule: 'name-similar',
    file: null,
    sentence: `The name ${safeText(name)} is easy to mistake for ${safeText(other)}, which is configured. Check that it is the skill that you want.`,
  }));
}

function isSimilar(a: string, b: string): boolean {
  // `notes-v1` and `notes-v2` are a series.
  if (a.replace(/\d+/g, '0') === b.replace(/\d+/g, '0')) return false;
  const [x, y] = [plain(a), plain(b)];
  if (x === y) return true;
  // Short names differ by one letter without any intent: pdf, psd.
  if (Math.min(x.length, y.length) < 5) return false;
  return isOneEditApart(x, y);
}

/** Without separators, and with digits that look like letters as letters. */
function plain(name: string): string {
  return looksLike(name).replace(/[-_.]/g, '').replace(/0/g, 'o').replace(/[1i]/g, 'l').replaceAll('rn', 'm');
}

/** One letter more, less or different, or two neighbors swapped. */
function isOneEditApart(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const [x, y] = [a.slice(start), b.slice(start)];
  if (x.length === y.length)
    return x.slice(1) === y.slice(1) || (x.slice(2) === y.slice(2) && x[0] === y[1] && x[1] === y[0]);
  return x.length === y.length + 1 ? x.slice(1) === y : y.length === x.length + 1 && y.slice(1) === x;
}
