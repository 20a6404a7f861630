/** @import { HostFrame } from '../pool/host-protocol.ts' */
import { readSync, writeSync } from 'node:fs';

const stdin = 0;
const stdout = 1;
const lengthBytes = 4;

/**
 * Waits for a frame from the daemon and reads it; `undefined` at the end of input. A frame is the
 * header's length in 4 bytes, most significant first, the header as JSON, and a body of as many
 * bytes as the header's `bytes`.
 *
 * @returns {{ header: any, body: Buffer } | undefined}
 */
export function readFrame() {
  const length = read(lengthBytes);
  if (length === undefined) return undefined;
  const text = read(length.readUInt32BE(0));
  if (text === undefined) return undefined;
  const header = JSON.parse(text.toString());
  const body = read(header.bytes ?? 0);
  return body === undefined ? undefined : { header, body };
}

/**
 * @param {HostFrame} header
 * @param {Uint8Array} [body]
 */
export function writeFrame(header, body = new Uint8Array()) {
  const text = Buffer.from(JSON.stringify({ ...header, bytes: body.length }));
  const frame = Buffer.allocUnsafe(lengthBytes + text.length + body.length);
  frame.writeUInt32BE(text.length);
  frame.set(text, lengthBytes);
  frame.set(body, lengthBytes + text.length);
  write(frame);
}

/** Received bytes that were not read yet: most frames arrive whole in one read. */
const arrived = { buffer: Buffer.allocUnsafeSlow(64 * 1024), from: 0, to: 0 };

/**
 * A view that is valid until the next read, or a new buffer for a length beyond the receive buffer.
 *
 * @param {number} bytes
 */
function read(bytes) {
  const { buffer } = arrived;
  if (bytes <= buffer.length)
    return arrive(bytes) ? buffer.subarray(arrived.from - bytes, arrived.from) : undefined;
  const long = Buffer.allocUnsafeSlow(bytes);
  const buffered = arrived.to - arrived.from;
  buffer.copy(long, 0, arrived.from, arrived.to);
  arrived.from = arrived.to;
  for (let at = buffered; at < bytes; ) {
    const count = readSync(stdin, long, at, bytes - at, null);
    if (count === 0) return undefined;
    at += count;
  }
  return long;
}

/**
 * Waits until this many bytes have arrived, and takes them.
 *
 * @param {number} bytes
 */
function arrive(bytes) {
  const { buffer } = arrived;
  if (arrived.from + bytes > buffer.length) {
    buffer.copyWithin(0, arrived.from, arrived.to);
    arrived.to -= arrived.from;
    arrived.from = 0;
  }
  while (arrived.to - arrived.from < bytes) {
    const count = readSync(stdin, buffer, arrived.to, buffer.length - arrived.to, null);
    if (count === 0) return false;
    arrived.to += count;
  }
  arrived.from += bytes;
  return true;
}

/** @param {Uint8Array} bytes */
function write(bytes) {
  for (let at = 0; at < bytes.length; ) at += writeSync(stdout, bytes, at);
}
