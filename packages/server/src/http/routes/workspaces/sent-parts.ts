import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { partBytes } from '@ambit/core/workspace';
import { unreadOf } from '../../connections/unread-answers.ts';

/** The memory of so many parts: one is sent while the next is read, and the client may be slow. */
const heldMax = 4;
/** The most memory that the body of a file takes while it is sent. */
export const sentBytesMax = heldMax * partBytes;

/** A body of these parts, in memory that is used again once it is sent: garbage would grow to many times that. */
export function sentParts(parts: AsyncIterable<Uint8Array>, raw: ServerResponse): Readable {
  const body = Readable.from(
    inReusedMemory(parts, () => body.readableLength + unreadOf(raw)),
    {
      objectMode: false,
      highWaterMark: 1,
    },
  );
  return body;
}

async function* inReusedMemory(
  parts: AsyncIterable<Uint8Array>,
  unsentBytes: () => number,
): AsyncGenerator<Uint8Array> {
  const held: { memory: Buffer; bytes: number }[] = [];
  for await (const part of parts) {
    const oldest = held.length < heldMax ? undefined : held.shift();
    // Bytes are sent in order, so the unsent ones are of the last parts.
    const isSent = unsentBytes() <= held.reduce((sum, { bytes }) => sum + bytes, 0);
    const memory = oldest !== undefined && isSent ? oldest.memory : Buffer.allocUnsafeSlow(partBytes);
    memory.set(part);
    held.push({ memory, bytes: part.length });
    yield memory.subarray(0, part.length);
  }
}
