import { type Anchors, anchors } from './anchors.ts';
import { type Follow, follow } from './follow.ts';
import { base64Run, joinedLines } from './joined-lines.ts';
import { type Needle, needleMin, needlesOf, type ShortForm, shortForms } from './needles.ts';
import { plainReading, type Reading } from './reading.ts';
import { unescaped } from './unescaped.ts';

/** Part of a text that holds a secret, in bytes. */
export interface Span {
  from: number;
  to: number;
}

interface FoundSecrets {
  /** Unordered; they may overlap. */
  spans: Span[];
  /** Up to here, the result is final. After it, the next chunk may change the result. */
  settled: number;
  /** Base64 characters directly before `settled`, to pass on with the next chunk. */
  runBefore: number;
}

/** Finds secrets in text, in the forms that docs/network.md lists. */
export interface SecretFinder {
  /**
   * Searches a text, or a chunk of a text. A chunk begins where the previous one was settled. All
   * chunks together give the same spans as the whole text. `runBefore` is the previous result's, 0
   * for the first chunk.
   */
  find(text: Buffer, runBefore: number, isEnd: boolean): FoundSecrets;
}

/** Searches one reading of a text, adds to `spans`, and returns up to where the result is final. */
type Search = (reading: Reading, isEnd: boolean, spans: Span[]) => number;

export function secretFinder(values: readonly string[]): SecretFinder {
  const known = [...new Set(values)].filter((value) => value !== '');
  const needles = known.flatMap(needlesOf);
  const all = searchLong(needles);
  const short = known.flatMap(shortForms);
  let encoded: Search | undefined;
  return {
    find(text, runBefore, isEnd) {
      const spans: Span[] = [];
      const plain = plainReading(text);
      const reading = unescaped(text, isEnd);
      const joined = joinedLines(reading, runBefore, isEnd);
      let final = Math.min(
        reading.end,
        all(plain, isEnd, spans),
        reading.bytes === text ? text.length : all(reading, isEnd, spans),
        ...short.map((form) => searchShort(form, form.isExact ? plain : reading, isEnd, spans)),
      );
      if (joined !== undefined) {
        encoded ??= searchLong(needles.filter(({ isEncoded }) => isEncoded));
        final = Math.min(final, encoded(joined, isEnd, spans));
      }
      const count = bytesBefore(reading, final);
      return { spans, settled: reading.from(count), runBefore: base64Run(reading.bytes, count, runBefore) };
    },
  };
}

/** Finds needles in upper and lower case, whole and cut short. */
function searchLong(needles: readonly Needle[]): Search {
  const each = needles.map((needle, index) => [needle.bytes, { index, go: follow(needle) }] as const);
  const { find, unfinished }: Anchors<{ index: number; go: Follow }> = anchors(each, needleMin);
  return ({ bytes, from, to, end }, isEnd, spans) => {
    // By needle: up to where it was searched for, and its spans.
    const searchedTo: number[] = [];
    const add: ReturnType<typeof merging>[] = [];
    let open = isEnd ? 0 : unfinished(bytes);
    find(bytes, ({ index, go }, at) => {
      if (at < (searchedTo[index] ?? 0)) return;
      const { next, matched } = go(bytes, at, isEnd, (first, behind) => {
        add[index] ??= merging(spans);
        add[index](from(first), to(behind - 1));
      });
      searchedTo[index] = next === bytes.length ? next : next - matched;
      if (next === bytes.length && !isEnd) open = Math.max(open, matched);
    });
    return open === 0 ? end : from(bytes.length - open);
  };
}

/**
 * Finds a short form unchanged or, in an unescaped reading, where an escape is part of the match.
 */
function searchShort(
  { bytes: wanted, isExact }: ShortForm,
  { bytes, from, to, end }: Reading,
  isEnd: boolean,
  spans: Span[],
): number {
  const add = merging(spans);
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) {
    const [begin, behind] = [from(at), to(at + wanted.length - 1)];
    if (isExact || behind - begin > wanted.length) add(begin, behind);
  }
  let open = isEnd ? 0 : Math.min(wanted.length - 1, bytes.length);
  while (open > 0 && bytes.compare(wanted, 0, open, bytes.length - open) !== 0) open--;
  return open === 0 ? end : from(bytes.length - open);
}

/** Adds spans in order, and joins overlapping ones. */
function merging(spans: Span[]): (from: number, to: number) => void {
  let last: Span | undefined;
  return (from, to) => {
    if (last !== undefined && from < last.to) last.to = Math.max(last.to, to);
    else {
      last = { from, to };
      spans.push(last);
    }
  };
}

/** Index of the byte whose source includes `at`: the next chunk must not begin inside an escape. */
function bytesBefore({ bytes, from }: Reading, at: number): number {
  let [low, high] = [0, bytes.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (from(middle) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
