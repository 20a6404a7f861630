const lengthBytes = 4;
/** A host asks with less, and says no more of a call. */
const headerBytesMost = 2 * 1024 * 1024;

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
 * what is no frame, and for a body beyond `bodyBytesMost()`: nothing is gathered that nobody wants.
 */
export function frameReader(bodyBytesMost: () => number): (piece: Uint8Array) => Frame[] {
  const pieces: Uint8Array[] = [];
  let held = 0;
  let header: Record<string, unknown> | undefined;
  /** How much has to be there before it can go on. */
  let wanted = lengthBytes;
  let state: 'length' | 'header' | 'body' = 'length';

  const next = (): Frame | undefined => {
    const whole = pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
    const part = Buffer.from(whole.buffer, whole.byteOffset, wanted);
    const rest = whole.subarray(wanted);
    pieces.splice(0, pieces.length, ...(rest.length === 0 ? [] : [rest]));
    held = rest.length;
    if (state === 'length') {
      state = 'header';
      wanted = atMost(part.readUInt32BE(0), headerBytesMost);
      return undefined;
    }
    if (state === 'header') {
      header = headerOf(part);
      state = 'body';
      wanted = atMost(header['bytes'], bodyBytesMost());
      return undefined;
    }
    state = 'length';
    wanted = lengthBytes;
    return { header: header ?? {}, body: part };
  };

  return (piece) => {
    pieces.push(piece);
    held += piece.length;
    const frames: Frame[] = [];
    while (held >= wanted) {
      const frame = next();
      if (frame !== undefined) frames.push(frame);
    }
    return frames;
  };
}

function atMost(length: unknown, most: number): number {
  if (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0 || length > most)
    throw new Error(`a frame of ${String(length)} bytes`);
  return length;
}

function headerOf(text: Buffer): Record<string, unknown> {
  const header: unknown = JSON.parse(text.toString());
  if (typeof header !== 'object' || header === null) throw new Error('a frame without a header');
  return header as Record<string, unknown>;
}
