/** The protocol of a connection, by its first bytes. */
export type Opening =
  | { kind: 'incomplete' }
  /** Not TLS. */
  | { kind: 'plain' }
  | {
      kind: 'hello';
      /** As sent; `undefined` if the client sends none. */
      serverName: string | undefined;
      /** The real name may differ and be encrypted (Encrypted Client Hello). */
      encrypted: boolean;
    }
  /** Invalid TLS. */
  | { kind: 'malformed' };

/** More than any client sends, including post-quantum keys. */
const helloBytesMax = 64 * 1024;
const handshakeRecord = 22;
const clientHello = 1;
const serverNameExtension = 0;
const encryptedHelloExtension = 0xfe0d;

/** Parses a ClientHello (RFC 8446, section 4.1.2), also if it spans several records. */
export function readClientHello(bytes: Buffer): Opening {
  if (bytes.length === 0) return { kind: 'incomplete' };
  if (bytes[0] !== handshakeRecord) return { kind: 'plain' };
  if (bytes.length > helloBytesMax) return { kind: 'malformed' };
  const message = handshakeBytes(bytes);
  if (message === undefined) return { kind: 'malformed' };
  if (message.length < 4) return { kind: 'incomplete' };
  const end = 4 + message.readUIntBE(1, 3);
  if (message[0] !== clientHello || end > helloBytesMax) return { kind: 'malformed' };
  if (message.length < end) return { kind: 'incomplete' };
  try {
    return readExtensions(message.subarray(0, end));
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'malformed' };
    throw error;
  }
}

/** The payload of the records received so far. */
function handshakeBytes(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; at + 5 <= bytes.length; ) {
    const length = bytes.readUInt16BE(at + 3);
    if (bytes[at] !== handshakeRecord || bytes[at + 1] !== 3 || length === 0) {
      // Anything may follow the hello, but only handshake records may be inside it.
      return parts.length > 0 ? Buffer.concat(parts) : undefined;
    }
    parts.push(bytes.subarray(at + 5, at + 5 + length));
    at += 5 + length;
  }
  return Buffer.concat(parts);
}

function readExtensions(hello: Buffer): Opening {
  // Type and length, version, random.
  let at = 4 + 2 + 32;
  at += 1 + hello.readUInt8(at); // session
  at += 2 + hello.readUInt16BE(at); // cipher suites
  at += 1 + hello.readUInt8(at); // compression methods
  const names: string[] = [];
  let encrypted = false;
  if (at < hello.length) {
    const end = at + 2 + hello.readUInt16BE(at);
    if (end !== hello.length) return { kind: 'malformed' };
    for (at += 2; at < end; ) {
      const type = hello.readUInt16BE(at);
      const length = hello.readUInt16BE(at + 2);
      if (at + 4 + length > end) return { kind: 'malformed' };
      if (type === serverNameExtension) names.push(...serverNames(hello.subarray(at + 4, at + 4 + length)));
      if (type === encryptedHelloExtension) encrypted = true;
      at += 4 + length;
    }
  }
  // RFC 6066, section 3: one name at most.
  return names.length > 1 ? { kind: 'malformed' } : { kind: 'hello', serverName: names[0], encrypted };
}

function serverNames(list: Buffer): string[] {
  const names: string[] = [];
  for (let at = 2; at < list.length; ) {
    const length = list.readUInt16BE(at + 1);
    if (at + 3 + length > list.length) throw new RangeError('a name exceeds its list');
    names.push(list.toString('latin1', at + 3, at + 3 + length));
    at += 3 + length;
  }
  return names;
}
