import { Transform } from 'node:stream';
import { type SecretFinder, type Span, secretFinder } from '../../secrets/find/secret-finder.ts';

/** Covers secrets' values with as many asterisks, so that lengths stay what they were. */
export interface SecretRedactor {
  text(text: string): string;
  /** As bytes, UTF-8 or not. */
  bytes(bytes: Uint8Array): Uint8Array;
  pieces(): StreamRedactor;
  /** The same in a pipeline. */
  stream(): Transform;
  /** The same, with whatever passes here counted as Latin-1, which is how headers come. */
  header(text: string): string;
}

/** Works across pieces, however they are cut: what they give joined is what `bytes` gives for all of them together. */
export interface StreamRedactor {
  /** What is settled by now: keeps back only what may be the beginning of a value. */
  take(piece: Uint8Array): Uint8Array;
  /** What was kept back; nothing comes after it. */
  rest(): Uint8Array;
  /** As `rest`, of what was cut off: without what may be the beginning of a value. */
  settled(): Uint8Array;
}

/** Covers these values, in every form of them that is known; without any it changes nothing. */
export function secretRedactor(values: readonly string[]): SecretRedactor {
  if (values.length === 0) return nothingToRedact;
  const finder = secretFinder(values);
  return {
    text: (text) => redacted(Buffer.from(text), finder).toString(),
    header: (text) => redacted(Buffer.from(text, 'latin1'), finder).toString('latin1'),
    bytes: (bytes) => redacted(bytes, finder),
    pieces: () => redactedPieces(finder),
    stream: () => redactingStream(redactedPieces(finder)),
  };
}

const nothing = new Uint8Array();
const passing: StreamRedactor = { take: (piece) => piece, rest: () => nothing, settled: () => nothing };

const nothingToRedact: SecretRedactor = {
  text: (text) => text,
  header: (text) => text,
  bytes: (bytes) => bytes,
  pieces: () => passing,
  stream: () => redactingStream(passing),
};

/** Bytes searched in one step, to bound the memory that a search needs. */
const blockBytes = 256 * 1024;

function redacted(bytes: Uint8Array, finder: SecretFinder): Buffer {
  if (bytes.length <= blockBytes) return withAsterisks(bytes, finder.find(viewOf(bytes), 0, true).spans);
  const { take, rest } = redactedPieces(finder);
  const shown: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += blockBytes) shown.push(take(bytes.subarray(at, at + blockBytes)));
  return Buffer.concat([...shown, rest()]);
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function withAsterisks(bytes: Uint8Array, spans: readonly Span[]): Buffer {
  const shown = Buffer.from(bytes);
  for (const { from, to } of spans) shown.fill('*', from, to);
  return shown;
}

/** If more than this is held back, wait for a quarter of it before searching again: time stays linear. */
const heldBytesMax = 256;

function redactedPieces({ find }: SecretFinder): StreamRedactor {
  // The end of what came, as it is and as it will be shown: a value that is redacted may begin another one.
  let bytes: Buffer = Buffer.alloc(0);
  let shown: Buffer = Buffer.alloc(0);
  let runBefore = 0;
  let fresh: Uint8Array[] = [];
  let freshBytes = 0;

  const take = (isEnd: boolean): Uint8Array => {
    bytes = Buffer.concat([bytes, ...fresh]);
    shown = Buffer.concat([shown, ...fresh]);
    [fresh, freshBytes] = [[], 0];
    const found = find(bytes, runBefore, isEnd);
    for (const { from, to } of found.spans) shown.fill('*', from, to);
    const out = shown.subarray(0, found.settled);
    bytes = bytes.subarray(found.settled);
    shown = shown.subarray(found.settled);
    runBefore = found.runBefore;
    return out;
  };

  return {
    take(piece) {
      fresh.push(piece);
      freshBytes += piece.length;
      return bytes.length > heldBytesMax && freshBytes < bytes.length / 4 ? nothing : take(false);
    },
    rest: () => take(true),
    settled: () => take(false),
  };
}

function redactingStream({ take, rest }: StreamRedactor): Transform {
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, take(chunk)),
    flush: (done) => done(null, rest()),
  });
}
