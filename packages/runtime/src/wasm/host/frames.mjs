/** @import { HostFrame } from '../pool/host-protocol.ts' */
import { readSync, writeSync } from 'node:fs';

const stdin = 0;
const stdout = 1;
const lengthBytes = 4;

/**
 * Reads one frame of the daemon's, waiting for it; `undefined` when there are no more. A frame is the header's length in
 * 4 bytes, most significant first, the header as JSON, and as many bytes as its `bytes` says.
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
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(text.length);
  write(Buffer.concat([length, text, body]));
}

/** @param {number} bytes */
function read(bytes) {
  const buffer = Buffer.allocUnsafeSlow(bytes);
  for (let at = 0; at < bytes; ) {
    const count = readSync(stdin, buffer, at, bytes - at, null);
    if (count === 0) return undefined;
    at += count;
  }
  return buffer;
}

/** @param {Uint8Array} bytes */
function write(bytes) {
  for (let at = 0; at < bytes.length; ) at += writeSync(stdout, bytes, at);
}
