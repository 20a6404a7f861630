import { isMatchedByValue } from './find/needles.ts';
import { type SecretFinder, type Span, secretFinder } from './find/secret-finder.ts';

/** Replaces secrets' values with asterisks of the same length, with the run of characters around each. */
export interface SecretRedactor {
  text(text: string): string;
  /** Bytes, UTF-8 or not. */
  bytes(bytes: Uint8Array): Uint8Array;
  pieces(): StreamRedactor;
  /** The characters of `text` are bytes (Latin-1), as in headers. */
  header(text: string): string;
  /** The number of redactions so far, by all of these together. */
  redactions(): number;
}

/** Redacts in pieces of any size: the joined results equal the result of `bytes` for the whole. */
export interface StreamRedactor {
  /** The bytes that are final. An end is held back, whatever it is, up to the last line break. */
  take(piece: Uint8Array): Uint8Array;
  /** The bytes held back at the end of the input. */
  rest(): Uint8Array;
  /**
   * Like `rest`, for truncated input: drops what is held back, which may be the beginning of a
   * secret. Because it is dropped whatever it is, it says nothing.
   */
  cut(): Uint8Array;
}

/**
 * Redacts these values in every known encoding. Values that are too short to be matched are not
 * redacted; without any other it changes nothing.
 */
export function secretRedactor(values: readonly string[]): SecretRedactor {
  if (!values.some(isMatchedByValue)) return nothingToRedact;
  const finder = secretFinder(values);
  let redactions = 0;
  const onHidden = (count: number): void => {
    redactions += count;
  };
  const whole = (bytes: Uint8Array): Buffer => {
    const { take, end } = redactedPieces(finder, onHidden);
    const shown: Uint8Array[] = [];
    for (let at = 0; at < bytes.length - blockBytes; at += blockBytes)
      shown.push(take(bytes.subarray(at, at + blockBytes)));
    return Buffer.concat([...shown, end(bytes.subarray(shown.length * blockBytes))]);
  };
  const pieces = (): StreamRedactor => redactedPieces(finder, onHidden);
  return {
    text: (text) => whole(Buffer.from(text)).toString(),
    header: (text) => whole(Buffer.from(text, 'latin1')).toString('latin1'),
    bytes: whole,
    pieces,
    redactions: () => redactions,
  };
}

const nothing = new Uint8Array();
const passthrough: StreamRedactor = { take: (piece) => piece, rest: () => nothing, cut: () => nothing };

const nothingToRedact: SecretRedactor = {
  text: (text) => text,
  header: (text) => text,
  bytes: (bytes) => bytes,
  pieces: () => passthrough,
  redactions: () => 0,
};

/** Bytes searched in one step, to bound the memory that a search needs. */
const blockBytes = 256 * 1024;

/**
 * If more than this is held back, wait for a quarter as much new input before the next search, to
 * stay linear in time.
 */
const heldBytesMax = 256;

function redactedPieces(
  { find }: SecretFinder,
  onHidden: (count: number) => void,
): StreamRedactor & { end(last: Uint8Array): Uint8Array } {
  let held: Buffer = Buffer.alloc(0);
  // The number of bytes of `held` that were emitted before.
  let emitted = 0;
  let runBefore = 0;
  let fresh: Uint8Array[] = [];
  let freshBytes = 0;

  const search = (isEnd: boolean): Uint8Array => {
    const bytes = Buffer.concat([held, ...fresh]);
    [fresh, freshBytes] = [[], 0];
    const found = find(bytes, runBefore, isEnd);
    const spans = found.spans.filter(({ from }) => from < found.settled);
    onHidden(spans.filter(({ from }) => from >= emitted).length);
    held = Buffer.from(bytes.subarray(found.next));
    runBefore = found.runBefore;
    const shown = withAsterisks(bytes.subarray(0, found.settled), spans).subarray(emitted);
    emitted = Math.max(emitted, found.settled) - found.next;
    return shown;
  };

  return {
    take(piece) {
      fresh.push(piece);
      freshBytes += piece.length;
      return held.length > heldBytesMax && freshBytes < held.length / 4 ? nothing : search(false);
    },
    end(last) {
      fresh.push(last);
      return search(true);
    },
    rest: () => search(true),
    cut: () => search(false),
  };
}

function withAsterisks(bytes: Buffer, spans: readonly Span[]): Buffer {
  for (const { from, to } of spans) bytes.fill('*', from, Math.min(to, bytes.length));
  return bytes;
}
