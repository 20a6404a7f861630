import { anchors } from './anchors.ts';
import { decode } from './decode.ts';
import { decodedRuns } from './decoded-runs.ts';
import { type Follow, follow } from './follow.ts';
import { base64Run, joinedLines } from './joined-lines.ts';
import { matchedBytesMin, type Needle, needlesOf } from './needles.ts';
import { plainReading, type Reading } from './reading.ts';
import { isToken } from './spelling.ts';

/** Part of a text to hide, in bytes. */
export interface Span {
  from: number;
  to: number;
}

interface FoundSecrets {
  /** In order; they do not overlap. */
  spans: Span[];
  /**
   * Up to here, the result is final. Unless a secret was found, this depends only on the text: what
   * is held back says nothing about what is searched for.
   */
  settled: number;
  /** The beginning of the next chunk: `settled`, or before it if what is hidden there depends on these bytes. */
  next: number;
  /** Base64 characters directly before `next`, to pass on with the next chunk. */
  runBefore: number;
}

/** Finds secrets in text, in the forms that docs/network.md lists. */
export interface SecretFinder {
  /**
   * Searches a text, or a chunk of a text. A chunk begins at `next` of the previous one. All chunks
   * together hide the same bytes as the whole text. `runBefore` is the previous result's, 0 for the
   * first chunk.
   */
  find(text: Buffer, runBefore: number, isEnd: boolean): FoundSecrets;
}

/** The most bytes of a token's run that are hidden before a match. */
const runBytesMax = 256;
/** If more of a chunk than this is hidden at its end, it is settled before its end is known. */
const unsettledBytesMax = 16 * 1024;
/** Sizes that depend on the secrets are rounded up to multiples of this, so they say little. */
const sizeStep = 64;
const newline = 0x0a;
const equals = 0x3d;

export function secretFinder(values: readonly string[]): SecretFinder {
  const needles = [...new Set(values)].flatMap(needlesOf);
  if (needles.length === 0)
    return { find: ({ length }) => ({ spans: [], settled: length, next: length, runBefore: 0 }) };
  const search = needleSearch(needles);
  // A byte is two characters of hexadecimal.
  const sizeOf = (bytes: (needle: Needle) => number): number =>
    Math.ceil((2 * Math.max(...needles.map(bytes))) / sizeStep) * sizeStep;
  const sizes: Sizes = {
    held: sizeOf(({ bytes }) => bytes.length),
    hidden: sizeOf(({ wholeBytes }) => wholeBytes) + runBytesMax,
    // No secret has a line break, unless an escape in it stands for one.
    isHeldInLine: !needles.some(({ bytes }) => bytes.includes(newline)),
  };
  return {
    find(text, runBefore, isEnd) {
      const plain = plainReading(text);
      const reading = decode(text, isEnd);
      const joined = joinedLines(reading, runBefore, isEnd);
      const shown = joined ?? reading;
      const matches: Match[] = [];
      const written = reading.bytes === text ? [plain] : [plain, reading];
      for (const each of joined === undefined ? written : [...written, joined]) {
        // With its lines joined, a reading has every run that it has without.
        const isDecoded = joined === undefined || each !== written.at(-1);
        search(each, isDecoded, (match) => matches.push(match));
      }
      const hidden = merged(tokensAround(matches, shown, sizes));
      const final = isEnd ? text.length : heldFrom(text, shown, sizes);
      const begin = Math.min(final, hidden.find(({ to }) => to > final)?.from ?? final);
      // Secrets without a gap between them, of which a text can have any number.
      const isLong = final - begin > unsettledBytesMax;
      // No earlier match reaches `final`; twice as much, because base64 is decoded from its beginning.
      const first = Math.max(0, unitAt(shown, final) - 2 * sizes.hidden);
      const next = isLong ? Math.max(begin, shown.from(first)) : begin;
      const before = isEnd ? 0 : base64Run(reading.bytes, bytesBefore(reading, next), runBefore);
      return { spans: hidden, settled: isLong ? final : begin, next, runBefore: before };
    },
  };
}

interface Sizes {
  /** The bytes held back at the end of a chunk, because they may be the beginning of a match. */
  held: number;
  /** The bytes of a token's run that are hidden from the beginning of a match on: beyond the end of any secret. */
  hidden: number;
  isHeldInLine: boolean;
}

/** Overlapping matches. */
interface Match extends Span {
  /** The beginning of the last one. */
  lastFrom: number;
}

/** Searches a reading and, if `isDecoded`, what its runs of base64 and hexadecimal decode to. */
type Search = (reading: Reading, isDecoded: boolean, found: (match: Match) => void) => void;

function needleSearch(needles: readonly Needle[]): Search {
  const items = needles.map(
    ({ bytes }, index) =>
      [bytes, { index, length: bytes.length, go: follow(bytes, matchedBytesMin) }] as const,
  );
  const find = anchors<{ index: number; length: number; go: Follow }>(items, matchedBytesMin);
  const searchBytes = (bytes: Buffer, found: (from: number, to: number) => void): void => {
    // By needle.
    const searchedTo: number[] = [];
    find(bytes, ({ index, length, go }, at) => {
      if (at < (searchedTo[index] ?? 0)) return;
      searchedTo[index] = go(bytes, at, (from) => found(from, from + length));
    });
  };
  return ({ bytes, from, to }, isDecoded, found) => {
    let match: Match | undefined;
    const add = (begin: number, end: number): void => {
      const [first, behind] = [from(begin), to(end - 1)];
      if (match !== undefined && first >= match.from && first < match.to) {
        match.to = Math.max(match.to, behind);
        match.lastFrom = Math.max(match.lastFrom, first);
        return;
      }
      if (match !== undefined) found(match);
      match = { from: first, lastFrom: first, to: behind };
    };
    searchBytes(bytes, add);
    if (isDecoded)
      decodedRuns(bytes, matchedBytesMin, (decoded, source) =>
        searchBytes(decoded, (begin, end) => add(source.from(begin), source.to(end - 1))),
      );
    if (match !== undefined) found(match);
  };
}

/**
 * Each match with the run of token characters around it. How far that reaches depends only on the text
 * and on where the match begins.
 */
function tokensAround(matches: readonly Match[], shown: Reading, { hidden }: Sizes): Span[] {
  const { bytes } = shown;
  // No byte is read again for a match within the run of an earlier one.
  let reached = 0;
  return matches
    .toSorted((a, b) => a.from - b.from)
    .map(({ from, lastFrom, to }) => {
      const first = unitAt(shown, from);
      const begin = runBegin(bytes, first);
      const behind = Math.min(bytes.length, unitAt(shown, lastFrom) + hidden);
      let end = Math.max(unitAt(shown, to - 1) + 1, first < reached ? reached : 0);
      while (end < behind && isToken(bytes[end])) end++;
      reached = Math.max(reached, end);
      return { from: Math.min(from, shown.from(begin)), to: Math.max(to, end > 0 ? shown.to(end - 1) : 0) };
    });
}

/** Returns the beginning of the run of a token before `at`. In `token=…`, the name is not part of the run. */
function runBegin(bytes: Buffer, at: number): number {
  let begin = at;
  while (begin > 0 && at - begin < runBytesMax && isToken(bytes[begin - 1]) && bytes[begin - 1] !== equals)
    begin--;
  return begin;
}

/** Returns the beginning of the part of a chunk that the next chunk may still change. */
function heldFrom(text: Buffer, shown: Reading, { held, isHeldInLine }: Sizes): number {
  const { bytes, from, to, end } = shown;
  const first = Math.max(0, bytes.length - held);
  let at = isHeldInLine ? bytes.length : first;
  while (at > first && !(bytes[at - 1] === newline && text[to(at - 1) - 1] === newline)) at--;
  const begin = runBegin(bytes, at);
  return begin === bytes.length ? end : from(begin);
}

function merged(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last !== undefined && from < last.to) last.to = Math.max(last.to, to);
    else all.push({ from, to });
  }
  return all;
}

/** Index of the byte of a reading whose source includes `at`. */
function unitAt({ bytes, from }: Reading, at: number): number {
  let [low, high] = [0, Math.max(0, bytes.length - 1)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (from(middle) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Returns the number of bytes of a reading that are from the text before `at`. */
function bytesBefore(reading: Reading, at: number): number {
  if (at >= reading.end) return reading.bytes.length;
  let index = unitAt(reading, at);
  while (index > 0 && reading.from(index) >= at) index--;
  return reading.bytes.length > 0 && reading.from(index) < at ? index + 1 : index;
}
