import { jsonExcess } from '../../json/json-excess.ts';

const lengthBytes = 4;
/** A host asks with less, and says no more of a call. */
const headerBytesMax = 2 * 1024 * 1024;
/** A host asks with fewer, and there is no telling them from the bytes: each may take but two. */
const headerBounds = { depthMax: Number.POSITIVE_INFINITY, valuesMax: 50_000 };

/** One frame: the header's length in 4 bytes, most significant first, the header with `bytes`, and the body. */
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

/** A frame as it arrived; nothing of it has been looked at. */
export interface Frame {
  header: Record<string, unknown>;
  body: Uint8Array;
}

/**
 * Takes a stream apart. The returned function takes its next piece and gives the frames that it completes; it throws for
 * what is no frame, and for a body beyond `bodyBytesMax()`: nothing is gathered that nobody wants.
 */
export function frameReader(bodyBytesMax: () => number): (piece: Uint8Array) => Frame[] {
  let pieces: Uint8Array[] = [];
  let held = 0;
  let header: Record<string, unknown> | undefined;
  /** Where the body begins, once the header's length is known. */
  let bodyAt: number | undefined;
  /** How much of a frame has to be there before it can go on. */
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

function atMax(length: unknown, most: number): number {
  if (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0 || length > most)
    throw new Error(`a frame of ${String(length)} bytes`);
  return length;
}

function headerOf(bytes: Buffer): Record<string, unknown> {
  const excess = jsonExcess(bytes, headerBounds);
  if (excess !== undefined) throw new Error(`a frame whose header ${excess}`);
  const header: unknown = JSON.parse(bytes.toString());
  if (typeof header !== 'object' || header === null) throw new Error('a frame without a header');
  return header as Record<string, unknown>;
}
