import { jsonExcess } from '../../json/json-excess.ts';

const lengthBytes = 4;
/** Larger than any request of a host, which has no other large headers. */
const headerBytesMax = 2 * 1024 * 1024;
/**
 * More values than any request of a host. Limited separately from bytes, because a value can take
 * only two of them.
 */
const headerBounds = { depthMax: Number.POSITIVE_INFINITY, valuesMax: 50_000 };

/**
 * Encodes a frame: the header's length in 4 bytes, most significant first, the header with `bytes`,
 * and the body.
 */
export function encodeFrame(header: object, ...parts: readonly Uint8Array[]): Uint8Array {
  let bytes = 0;
  for (const part of parts) bytes += part.length;
  const text = Buffer.from(JSON.stringify({ ...header, bytes }));
  const frame = Buffer.allocUnsafe(lengthBytes + text.length + bytes);
  frame.writeUInt32BE(text.length);
  frame.set(text, lengthBytes);
  let at = lengthBytes + text.length;
  for (const part of parts) {
    frame.set(part, at);
    at += part.length;
  }
  return frame;
}

/** A received frame, not validated. */
export interface Frame {
  header: Record<string, unknown>;
  body: Uint8Array;
}

/**
 * Splits a stream into frames. The returned function takes the next piece and returns the frames
 * that it completes. It throws for an invalid frame, or a body beyond `bodyBytesMax()`, so that
 * nothing unwanted is buffered.
 */
export function frameReader(bodyBytesMax: () => number): (piece: Uint8Array) => Frame[] {
  let pieces: Uint8Array[] = [];
  let held = 0;
  let header: Record<string, unknown> | undefined;
  /** The start of the body, as soon as the header's length is known. */
  let bodyAt: number | undefined;
  /** The number of bytes that must arrive before parsing continues. */
  let wanted = lengthBytes;

  return (piece) => {
    pieces.push(piece);
    held += piece.length;
    const frames: Frame[] = [];
    if (held < wanted) return frames;
    const whole = pieces.length === 1 ? bufferOf(piece) : Buffer.concat(pieces);
    let from = 0;
    while (whole.length - from >= wanted) {
      if (bodyAt === undefined) {
        bodyAt = lengthBytes + atMax(whole.readUInt32BE(from), headerBytesMax);
        wanted = bodyAt;
      } else if (header === undefined) {
        header = headerOf(whole.subarray(from + lengthBytes, from + bodyAt));
        wanted = bodyAt + atMax(header['bytes'], bodyBytesMax());
      } else {
        frames.push({ header, body: whole.subarray(from + bodyAt, from + wanted) });
        from += wanted;
        wanted = lengthBytes;
        bodyAt = undefined;
        header = undefined;
      }
    }
    pieces = from === whole.length ? [] : [whole.subarray(from)];
    held = whole.length - from;
    return frames;
  };
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

function atMax(length: unknown, bytesMax: number): number {
  if (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0 || length > bytesMax)
    throw new Error(`invalid frame length ${String(length)}`);
  return length;
}

function headerOf(bytes: Buffer): Record<string, unknown> {
  const excess = jsonExcess(bytes, headerBounds);
  if (excess !== undefined) throw new Error(`invalid frame: the header ${excess}`);
  const header: unknown = JSON.parse(bytes.toString());
  if (typeof header !== 'object' || header === null) throw new Error('invalid frame: no header');
  return header as Record<string, unknown>;
}
