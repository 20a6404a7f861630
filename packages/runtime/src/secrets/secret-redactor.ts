import { Transform } from 'node:stream';
import { type SecretFinder, type Span, secretFinder } from './find/secret-finder.ts';

/** Replaces secrets' values with asterisks of the same length. */
export interface SecretRedactor {
  text(text: string): string;
  /** Bytes, UTF-8 or not. */
  bytes(bytes: Uint8Array): Uint8Array;
  pieces(): StreamRedactor;
  /** As a stream for pipelines. */
  stream(): Transform;
  /** The characters of `text` are bytes (Latin-1), as in headers. */
  header(text: string): string;
}

/** Redacts in pieces of any size: the joined results equal the result of `bytes` for the whole. */
export interface StreamRedactor {
  /** The bytes that are final; an end that may begin a value is held back. */
  take(piece: Uint8Array): Uint8Array;
  /** The bytes held back at the end of the input. */
  rest(): Uint8Array;
  /** Like `rest`, for truncated input: drops an end that may begin a value. */
  settled(): Uint8Array;
}

/** Redacts these values in every known encoding. Without values it changes nothing. */
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
const passthrough: StreamRedactor = { take: (piece) => piece, rest: () => nothing, settled: () => nothing };

const nothingToRedact: SecretRedactor = {
  text: (text) => text,
  header: (text) => text,
  bytes: (bytes) => bytes,
  pieces: () => passthrough,
  stream: () => redactingStream(passthrough),
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

/**
 * If more than this is held back, wait for a quarter as much new input before the next search, to
 * stay linear in time.
 */
const heldBytesMax = 256;

function redactedPieces({ find }: SecretFinder): StreamRedactor {
  // The end of the input, raw and redacted: a redacted value may begin another one.
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
