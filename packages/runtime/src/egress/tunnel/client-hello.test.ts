// Threat model: T197

import { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { readClientHello } from './client-hello.ts';

/** A ClientHello as sent by Node. */
async function helloFor(servername: string): Promise<Buffer> {
  const written = Promise.withResolvers<Buffer>();
  const wire = new Duplex({ read: () => undefined, write: (chunk: Buffer) => written.resolve(chunk) });
  connect({ socket: wire, servername }).on('error', () => undefined);
  const hello = await written.promise;
  wire.destroy();
  return hello;
}

/** The same message in records of `size` bytes. */
function inRecords(hello: Buffer, size: number): Buffer {
  const message = hello.subarray(5);
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += size) {
    const part = message.subarray(at, at + size);
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 0xff]), part);
  }
  return Buffer.concat(records);
}

/** The same message with one more extension at its end. */
function withExtension(hello: Buffer, type: number, content: Buffer): Buffer {
  const more = Buffer.concat([
    Buffer.from([type >> 8, type & 0xff, content.length >> 8, content.length & 0xff]),
    content,
  ]);
  const changed = Buffer.concat([hello, more]);
  const extensions = extensionsAt(hello);
  changed.writeUInt16BE(hello.readUInt16BE(3) + more.length, 3);
  changed.writeUIntBE(hello.readUIntBE(6, 3) + more.length, 6, 3);
  changed.writeUInt16BE(hello.readUInt16BE(extensions) + more.length, extensions);
  return changed;
}

function extensionsAt(hello: Buffer): number {
  let at = 5 + 4 + 2 + 32;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  return at + 1 + hello.readUInt8(at);
}

const plainHello = { kind: 'hello', serverName: 'api.example', encrypted: false };

test('reads the server name from one record and from records of any size', async () => {
  const hello = await helloFor('api.example');
  expect(readClientHello(hello)).toEqual(plainHello);
  for (const size of [1, 7, 100]) expect(readClientHello(inRecords(hello, size))).toEqual(plainHello);
});

test('treats a message cut off anywhere as incomplete', async () => {
  const hello = inRecords(await helloFor('api.example'), 64);
  for (let length = 0; length < hello.length; length++) {
    expect(readClientHello(hello.subarray(0, length))).toEqual({ kind: 'incomplete' });
  }
});

test('distinguishes an encrypted server name from a plain one', async () => {
  const hello = await helloFor('api.example');
  expect(readClientHello(withExtension(hello, 0xfe0d, Buffer.alloc(8)))).toEqual({
    ...plainHello,
    encrypted: true,
  });
  expect(readClientHello(withExtension(hello, 0xfafa, Buffer.alloc(8)))).toEqual(plainHello);
});

test('refuses two server names', async () => {
  const hello = await helloFor('api.example');
  const name = Buffer.from('\0\x0e\0\0\x0bevil.exampl', 'latin1');
  expect(readClientHello(withExtension(hello, 0, name))).toEqual({ kind: 'malformed' });
});

test('distinguishes other protocols from malformed TLS', async () => {
  expect(readClientHello(Buffer.from('GET / HTTP/1.1\r\n'))).toEqual({ kind: 'plain' });
  expect(readClientHello(Buffer.from([22, 9, 9, 0, 1, 1]))).toEqual({ kind: 'malformed' });
  expect(readClientHello(Buffer.from([22, 3, 1, 0, 5, 2, 0, 0, 1, 0]))).toEqual({ kind: 'malformed' });
  const hello = await helloFor('api.example');
  const lying = Buffer.from(hello);
  lying.writeUInt16BE(0xffff, extensionsAt(hello));
  expect(readClientHello(lying)).toEqual({ kind: 'malformed' });
});
